import FoundationEssentials
import FunctionKit
import Glibc
import PersonLive
import Postgres
import StoreLive

/// Issues, lists and revokes the bearer tokens of the API.
@main
struct PushToken {
  // Explicitly concurrent, because an async entry point must not depend on its caller's isolation.
  @concurrent static func main() async {
    do {
      let words = CommandLine.arguments.dropFirst()
      if words.isEmpty { throw FunctionError(.usage, "Say create, list or revoke; see runner token --help.") }
      if words == ["--version"] { return print("push-token \(bundleVersion)") }
      if words.contains(where: { ["--help", "-h"].contains($0) }) { return print(help) }
      try await run(try TokenCommand(Array(words)))
    } catch {
      let error = (error as? PostgresError).map { FunctionError(database: $0) } ?? FunctionError(error)
      let reason = error.code == .failed ? error.cause.map { "\($0)" } ?? error.message : error.message
      _ = StandardError.write("token: \(reason)\n")
      exit(error.code.exitStatus)
    }
  }

  private static func run(_ command: TokenCommand) async throws {
    let store = try TokenStore.live(.current(), name: "push-token")
    switch command.action {
    case .create(let email, let name, let lifetime):
      guard let issued = try await store.issue(to: email, name: name, lasting: lifetime) else {
        throw FunctionError(.noInput, "Nobody has the e-mail address \(email).")
      }
      print(try TokenReport(issued, asJSON: command.asJSON).text)
    case .list(let email):
      print(try TokenReport(try await store.tokens(of: email), asJSON: command.asJSON).text)
    case .revoke(let id):
      guard try await store.revoke(id) else {
        throw FunctionError(.noInput, "There is no token \(id.uuidString.lowercased()).")
      }
      print(command.asJSON ? "{\"revoked\":true}" : "Revoked: a request with it gets a 401 from now on.")
    }
  }

  private static let help = """
    Create, list and revoke the tokens that apps show the API as
    "Authorization: Bearer TOKEN".

    usage: runner token create --user EMAIL [--name NAME] [--expires 90d] [--json]
           runner token list --user EMAIL [--json]
           runner token revoke ID [--json]

      --user EMAIL    whose token it is
      --name NAME     what it is for, shown in the list (runner)
      --expires TIME  how long it lasts: 12h, 90d (90d)
      --json          one JSON document

      --help, --version

    A token is shown once, when it is made: only its SHA-256 is kept.
    environment: DATABASE_URL
    exit: 0 done, 64 bad usage, 66 nobody has that address or there is no such
    token, 75 no database, 78 misconfigured.
    """
}

private enum StandardError {
  static func write(_ text: String) -> Int { text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) } }
}
