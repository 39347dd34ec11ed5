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
    let title: String
    let body: String
    let data: About?
    let link: String?
    let language: String
    let notified: Date

    /// The subject of the notification, as far as a link can name it.
    struct About: Decodable, Sendable {
      let proposal: UUID?

      private enum CodingKeys: String, CodingKey {
        case proposal = "proposal_id"
      }

      init(from decoder: any Decoder) throws {
        proposal = try? decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(UUID.self, forKey: .proposal)
      }
    }

    private enum CodingKeys: String, CodingKey {
      case app, title, body, data, link, language
      case notification = "notification_id"
      case person = "user_id"
      case notified = "notified_at"
    }
  }

  /// The fate of a notification.
  struct Result: Encodable, Sendable, Equatable {
    let sent: Bool
    /// Why nothing was sent: `off`, `read`, the reason of a gate, `no_address`, `quiet`, `no_mailbox`,
    /// `refused` or `dry_run`.
    var reason: String?
  }

  typealias Payload = RowChange<Row>

  static let summary = "Sends by e-mail what somebody has not read (insert into unread_notifications)."
  /// `nil` if no mail is sent.
  let post: Post?
  let recheck: UnreadRecheck

  static func live(_ environment: Environment) throws -> Self {
    Self(post: try Post(environment), recheck: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> Result {
    let row = try event.data.inserted(into: "unread_notifications")
    guard let app = App(rawValue: row.app) else {
      throw FunctionError(.invalidEvent, "record.app must be one of the apps.")
    }
    guard let post else { return Result(sent: false, reason: "off") }
    let email: String?
    switch try await recheck.answer(on: row.notification, at: context.now) {
    case .tell(let address): email = address
    case .end(let reason): return Result(sent: false, reason: reason)
    case .noMailbox(let address):
      if !context.dryRun { try await recheck.noteNoMailbox(address, for: row.notification, at: context.now) }
      return Result(sent: false, reason: "no_mailbox")
    case .wait(let until):
      if context.dryRun { return Result(sent: false, reason: "quiet") }
      let seconds = until.timeIntervalSince(context.now).rounded(.up)
      throw FunctionError(
        .unavailable, "The person wants to hear nothing at the moment.", retryAfter: Int(min(max(1, seconds), 86_400)))
    }
    guard let mail = try post.mail(row, to: email, of: app) else { return Result(sent: false, reason: "no_address") }
    if context.dryRun { return Result(sent: false, reason: "dry_run") }
    do {
      try await post.server.send(mail)
    } catch {
      switch error.code {
      case .away:
        throw FunctionError(.unavailable, "The mail server has not taken the mail: \(error).", cause: error)
      case .misconfigured:
        throw FunctionError(.misconfigured, "The mail server takes no mail of ours: \(error).", cause: error)
      case .refused, .noMailbox:
        context.log.error("The mail server refuses a person's address", ["error.cause": "\(error)"])
        if let email, error.code == .noMailbox {
          try await recheck.noteNoMailbox(email, for: row.notification, at: context.now)
        }
        return Result(sent: false, reason: "refused")
      }
    }
    return Result(sent: true)
  }
}
