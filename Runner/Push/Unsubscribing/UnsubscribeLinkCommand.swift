import CLI
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Signing
import StoreLive

/// `push unsubscribe-link`: makes a link that switches pushes off without sign-in.
enum UnsubscribeLinkCommand {
  private static let user = Option.text("--user", "EMAIL", "whose pushes it switches")
  private static let project = Option.id("--project-id", "ID", "pushes of one of FeedbackKit's projects")
  private static let group = Option.id("--group-id", "ID", "pushes of one of LockItIn's groups")
  private static let app = Option<App>.choice("--app", "APP", "with --kind KIND: those of one kind of an app")
  private static let kind = Option.text("--kind", "KIND")
  private static let proposal = Option.id("--proposal-id", "ID", "the proposal that the mail is about, to mute it, too")
  private static let base = Option.text(
    "--base-url", "URL", "where the runner is reached (http://127.0.0.1:54321)")

  static let spec = CommandSpec(
    "unsubscribe-link", "make a link that switches pushes off without sign-in",
    [user.required, project.required, base, Reply.option],
    [user.required, group.required, proposal, base, Reply.option],
    [user.required, app.required, kind.required, proposal, base, Reply.option],
    notes: """
      It prints the link, and the header fields of a mail that let its reader
      unsubscribe with one click (RFC 8058). The page that it opens switches them on
      again, too, and mutes for a while. A link does not expire; one that a secret
      signed ends when that secret is removed from UNSUBSCRIBE_SECRET.
      environment: DATABASE_URL, UNSUBSCRIBE_SECRET
      exit: 0 done, 64 bad usage, 66 no such person, project, group or proposal,
      75 no database, 78 misconfigured.
      """, run: run)

  private static func scope(_ arguments: CommandArguments) throws -> Unsubscription.Scope {
    if let id = arguments[project] { return .project(id) }
    if let id = arguments[group] { return .group(id) }
    guard let app = arguments[app], let name = arguments[kind] else {
      throw FunctionError(.usage, "Say --project-id ID, --group-id ID, or --app APP --kind KIND.")
    }
    guard let kind = Kind.named(name, of: app) else {
      let kinds = Kind.catalogue.filter { $0.app == app }.map(\.name)
      throw FunctionError(.usage, "--kind takes one of \(kinds.joined(separator: ", ")).")
    }
    return .kind(kind)
  }

  private static func server(_ text: String) throws(FunctionError) -> String {
    let isWritable = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>\"?#".utf8.contains($0) }
    guard let start = ["https://", "http://"].first(where: text.hasPrefix), text.utf8.count > start.utf8.count,
      isWritable
    else { throw FunctionError(.usage, "--base-url takes a URL such as https://push.example.com.") }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let email = try arguments.required(user)
    let server = try server(arguments[base] ?? "http://127.0.0.1:54321")
    let scope = try scope(arguments)
    let environment = Environment.current()
    guard let authenticator = MessageAuthenticator(secrets: try environment.require(UnsubscribeLink.secret)) else {
      throw UnsubscribeLink.unusableSecret
    }
    let store = try UnsubscribeStore.live(environment, name: "push unsubscribe-link")
    guard let person = try await store.person(named: email) else {
      throw FunctionError(.noInput, "Nobody has the e-mail address \(email).")
    }
    let proposal = arguments[proposal]
    guard let unsubscription = Unsubscription(of: person, from: scope, issuedAt: .now, about: proposal) else {
      throw FunctionError(.usage, "\(scope.id) cannot be switched off.")
    }
    guard unsubscription.proposal == proposal else {
      throw FunctionError(.usage, "--proposal-id goes with a group or a kind of LockItIn.")
    }
    guard let state = try await store.state(of: unsubscription) else {
      throw FunctionError(.noInput, "There is no \(scope.name) \(scope.id).")
    }
    guard state.mutes.count == unsubscription.muteScopes.count else {
      throw FunctionError(.noInput, "That person has no such proposal.")
    }
    let url = UnsubscribeLink.url(authenticator.sign(try unsubscription.message), on: server)
    // RFC 8058 requires these two fields, and a signature that covers both.
    let header = [("List-Unsubscribe", "<\(url)>"), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")]
    let fields = RawJSON(object: header.map { ($0.0, RawJSON($0.1)) })
    return Reply(arguments)(
      json: RawJSON(object: [("url", RawJSON(url)), ("headers", fields)]),
      text: "\(url)\n\n\(header.map { "\($0): \($1)" }.joined(separator: "\n"))")
  }
}
