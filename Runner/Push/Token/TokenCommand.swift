import CLI
import Formats
import FoundationEssentials
import FunctionKit
import PersonLive

/// `push token`: issues, lists and revokes the bearer tokens of the API.
enum TokenCommand {
  private static let longestLife: TimeInterval = 3_650 * 86_400

  private static let user = Option.text("--user", "EMAIL", "whose token it is")
  private static let name = Option.text("--name", "NAME", "what it is for, shown in the list (runner)")
  private static let expires = Option.span(
    "--expires", "SPAN", "how long it lasts: 12h, 90d (90d), at most 3650d")

  static let spec = CommandSpec(
    "token", "create, list and revoke the tokens of the API",
    verbs: [
      CommandSpec("create", "makes a token and prints it", [user.required, name, expires, Reply.option]) { arguments in
        let (email, lifetime) = (try arguments.required(user), arguments[expires] ?? 90 * 86_400)
        guard lifetime <= longestLife else { throw FunctionError(.usage, "--expires takes at most 3650d.") }
        guard let issued = try await store().issue(to: email, name: arguments[name] ?? "runner", lasting: lifetime)
        else {
          throw FunctionError(.noInput, "Nobody has the e-mail address \(email).")
        }
        return try Reply(arguments)(json: issued.document, text: issued.text)
      },
      CommandSpec("list", "shows what tokens somebody has", [user.required, Reply.option]) { arguments in
        let tokens = try await store().tokens(of: arguments.required(user))
        return try Reply(arguments)(json: RawJSON(object: [("tokens", JSONCoding.encode(tokens))]), text: tokens.text)
      },
      CommandSpec("revoke", "ends a token", [Operand("ID", "the token, as the list shows it").required, Reply.option]) {
        arguments in
        guard let id = arguments.operand.flatMap(UUID.init(uuidString:)) else {
          throw FunctionError(.usage, "Say which token to revoke by its id; runner token list shows them.")
        }
        guard try await store().revoke(id) else {
          throw FunctionError(.noInput, "There is no token \(id.lowercased).")
        }
        return Reply(arguments)(
          json: RawJSON(object: [("revoked", RawJSON(true))]),
          text: "Revoked: a request with it gets a 401 from now on.")
      },
    ],
    notes: """
      Apps show a token as "Authorization: Bearer TOKEN". It is printed once, when it
      is made: only its SHA-256 is kept.
      environment: DATABASE_URL
      exit: 0 done, 64 bad usage, 66 nobody has that address or there is no such
      token, 75 no database, 78 misconfigured.
      """)

  private static func store() throws -> TokenStore { try TokenStore.live(.current(), name: "push token") }
}
