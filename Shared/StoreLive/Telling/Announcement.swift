public import Notifications
import Postgres

/// What an event tells, and to whom.
public struct Announcement<N: Notice>: Sendable {
  /// The notices by their subject's id; an event of a schedule may have several.
  let notices: [String: N]
  let audience: Audience
  let actor: Actor
  /// What is done in the transaction in which the last person is told.
  let closing: [SQL]

  /// An announcement of any number of notices.
  public init(_ notices: [N], to audience: Audience, except actor: Actor = .unknown) {
    self.init(notices, to: audience, except: actor, closing: [])
  }

  init(_ notices: [N], to audience: Audience, except actor: Actor, closing: [SQL]) {
    self.notices = Dictionary(notices.map { ($0.subject.id, $0) }) { first, _ in first }
    (self.audience, self.actor, self.closing) = (audience, actor, closing)
  }
}
