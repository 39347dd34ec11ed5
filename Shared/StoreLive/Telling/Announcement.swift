public import Notifications

/// What an event tells, and to whom.
public struct Announcement<N: Notice>: Sendable {
  /// The notices by their subject's id; an event of a schedule may have several.
  let notices: [String: N]
  let audience: Audience
  let actor: Actor

  /// An announcement of any number of notices.
  public init(_ notices: [N], to audience: Audience, except actor: Actor = .unknown) {
    self.notices = Dictionary(notices.map { ($0.subject.id, $0) }) { first, _ in first }
    self.audience = audience
    self.actor = actor
  }
}
