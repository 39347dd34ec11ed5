import FoundationEssentials
import FunctionKit
import Glibc
import PersonLive
import Postgres
import Signing
import StoreLive

/// Makes a link that switches pushes off without sign-in.
@main
struct UnsubscribeLinkCommand {
  // Explicitly concurrent, because an async entry point must not depend on its caller's isolation.
  @concurrent static func main() async {
    do {
      let words = Array(CommandLine.arguments.dropFirst())
      if words == ["--version"] { return print("unsubscribe-link \(bundleVersion)") }
      if words.contains(where: { ["--help", "-h"].contains($0) }) { return print(help) }
      try await run(try LinkCommand(words))
    } catch {
      let error = (error as? PostgresError).map { FunctionError(database: $0) } ?? FunctionError(error)
      let reason = error.code == .failed ? error.cause.map { "\($0)" } ?? error.message : error.message
      _ = "unsubscribe-link: \(reason)\n".withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
      exit(error.code.exitStatus)
    }
  }

  private static func run(_ command: LinkCommand) async throws {
    let environment = Environment.current()
    guard let authenticator = MessageAuthenticator(secrets: try environment.require(UnsubscribeLink.secret)) else {
      throw UnsubscribeLink.unusableSecret
    }
    let store = try UnsubscribeStore.live(environment, name: "unsubscribe-link")
    guard let person = try await store.person(named: command.email) else {
      throw FunctionError(.noInput, "Nobody has the e-mail address \(command.email).")
    }
    guard let unsubscription = Unsubscription(of: person, from: command.scope, issuedAt: .now) else {
      throw FunctionError(.usage, "\(command.scope.id) cannot be switched off.")
    }
    guard try await store.state(of: unsubscription) != nil else {
      throw FunctionError(.noInput, "There is no \(command.scope.name) \(command.scope.id).")
    }
    let url = UnsubscribeLink.url(authenticator.sign(try unsubscription.message), on: command.server)
    print(command.asJSON ? document(url) : "\(url)\n\n\(header(url).map { "\($0): \($1)" }.joined(separator: "\n"))")
  }

  /// What RFC 8058 asks of a mail, besides a signature that covers both.
  private static func header(_ url: String) -> [(String, String)] {
    [("List-Unsubscribe", "<\(url)>"), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")]
  }

  private static func document(_ url: String) -> String {
    let header = RawJSON(object: header(url).map { ($0.0, RawJSON($0.1)) })
    return String(decoding: RawJSON(object: [("url", RawJSON(url)), ("headers", header)]).bytes, as: UTF8.self)
  }

  private static let help = """
    Make a link for a mail that switches the pushes of a project, group or kind off,
    without sign-in, and on again.

    usage: runner unsubscribe-link --user EMAIL --project-id ID
                                   [--base-url URL] [--json]
           runner unsubscribe-link --user EMAIL --group-id ID
                                   [--base-url URL] [--json]
           runner unsubscribe-link --user EMAIL --app APP --kind KIND
                                   [--base-url URL] [--json]

      --user EMAIL    whose pushes it switches
      --project-id ID those of one of FeedbackKit's projects
      --group-id ID   those of one of LockItIn's groups
      --app APP       with --kind KIND: those of one kind of an app
      --base-url URL  where the runner is reached (http://127.0.0.1:54321)
      --json          one JSON document

      --help, --version

    It prints the link, and the header fields of a mail that let its reader
    unsubscribe with one click (RFC 8058). A link never ends; those that a secret
    signed end when the secret is taken out of UNSUBSCRIBE_SECRET.
    environment: DATABASE_URL, UNSUBSCRIBE_SECRET
    exit: 0 done, 64 bad usage, 66 no such person, project or group, 75 no database,
    78 misconfigured.
    """
}
