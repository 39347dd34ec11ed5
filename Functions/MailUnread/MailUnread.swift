import DeliveryLive
import FoundationEssentials
import FunctionKit
import HTTPClient
import Notifications
import StoreLive

/// Sends by e-mail what a person has not read.
///
/// A mail can be unsubscribed from with one click. Without `SMTP_URL` nothing is sent.
@main
struct MailUnread: Function {
  /// A row of `unread_notifications`.
  struct Row: Decodable, Sendable {
    let notification: UUID
    let app: String
    let person: UUID
    let email: String?
    let title: String
    let body: String
    let link: String?
    let language: String
    let notified: Date

    private enum CodingKeys: String, CodingKey {
      case app, email, title, body, link, language
      case notification = "notification_id"
      case person = "user_id"
      case notified = "notified_at"
    }
  }

  /// What became of a notification.
  struct Result: Encodable, Sendable, Equatable {
    let sent: Bool
    /// Why nothing was sent: `off`, `no_address`, `read`, `refused` or `dry_run`.
    var reason: String?
  }

  typealias Payload = RowChange<Row>

  static let summary = "Sends by e-mail what somebody has not read (insert into unread_notifications)."
  /// `nil` if no mail is sent.
  let post: Post?
  let store: UnreadStore

  static func live(_ environment: Environment) throws -> Self {
    Self(post: try Post(environment), store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> Result {
    let row = try event.data.inserted(into: "unread_notifications")
    guard let app = App(rawValue: row.app) else {
      throw FunctionError(.invalidEvent, "record.app must be one of the apps.")
    }
    guard let post else { return Result(sent: false, reason: "off") }
    guard let mail = try post.mail(row, of: app) else { return Result(sent: false, reason: "no_address") }
    guard try await store.isStillUnread(row.notification) else { return Result(sent: false, reason: "read") }
    if context.dryRun { return Result(sent: false, reason: "dry_run") }
    do {
      try await post.server.send(mail)
    } catch {
      switch error.code {
      case .away:
        throw FunctionError(.unavailable, "The mail server takes no mail at the moment.", cause: error)
      case .misconfigured:
        throw FunctionError(.misconfigured, "The mail server takes no mail of ours: \(error).", cause: error)
      case .refused:
        context.log.error("The mail server refuses a mail", ["error.cause": "\(error)"])
        return Result(sent: false, reason: "refused")
      }
    }
    return Result(sent: true)
  }
}
