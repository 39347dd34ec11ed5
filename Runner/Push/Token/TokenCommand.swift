import CLI
import Formats
import FoundationEssentials
import FunctionKit
import PersonLive

/// `push token`: issues, lists and revokes the bearer tokens of the API.
struct TokenCommand: Command {
  private let action: Action
  private let reply: Reply

  private enum Verb: String, CaseIterable { case create, list, revoke }

  private enum Action {
    case create(email: String, name: String, lifetime: TimeInterval)
    case list(email: String)
    case revoke(UUID)
  }

  private static let longestLife: TimeInterval = 3_650 * 86_400

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    let verb: Verb? = try arguments.verb()
    reply = Reply(&arguments)
    switch verb {
    case .create:
      let lifetime = try arguments.seconds("--expires") ?? 90 * 86_400
      guard lifetime <= Self.longestLife else { throw FunctionError(.usage, "--expires takes at most 3650d.") }
      action = .create(
        email: try arguments.required("--user"), name: try arguments.value("--name") ?? "runner", lifetime: lifetime)
    case .list: action = .list(email: try arguments.required("--user"))
    case .revoke:
      guard let id = arguments.operand().flatMap(UUID.init(uuidString:)) else {
        throw FunctionError(.usage, "Say which token to revoke by its id; runner token list shows them.")
      }
      action = .revoke(id)
    case nil: throw FunctionError(.usage, "Say create, list or revoke; see runner token --help.")
    }
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    let store = try TokenStore.live(.current(), name: "push token")
    switch action {
    case .create(let email, let name, let lifetime):
      guard let issued = try await store.issue(to: email, name: name, lasting: lifetime) else {
        throw FunctionError(.noInput, "Nobody has the e-mail address \(email).")
      }
      return try reply(json: issued.document, text: issued.text)
    case .list(let email):
      let tokens = try await store.tokens(of: email)
      return try reply(json: RawJSON(object: [("tokens", JSONCoding.encode(tokens))]), text: tokens.text)
    case .revoke(let id):
      guard try await store.revoke(id) else {
        throw FunctionError(.noInput, "There is no token \(id.lowercased).")
      }
      return reply(
        json: RawJSON(object: [("revoked", RawJSON(true))]),
        text: "Revoked: a request with it gets a 401 from now on.")
    }
  }

  static let help = Help(
    "token", "create, list and revoke the tokens of the API",
    """
    usage: runner token create --user EMAIL [--name NAME] [--expires 90d] [--json]
           runner token list --user EMAIL [--json]
           runner token revoke ID [--json]

      --user EMAIL    whose token it is
      --name NAME     what it is for, shown in the list (runner)
      --expires SPAN  how long it lasts: 12h, 90d (90d), at most 3650d
      --json          one JSON document

      --help, --version

    Apps show a token as "Authorization: Bearer TOKEN". It is printed once, when it
    is made: only its SHA-256 is kept.
    environment: DATABASE_URL
    exit: 0 done, 64 bad usage, 66 nobody has that address or there is no such
    token, 75 no database, 78 misconfigured.
    """)
}
