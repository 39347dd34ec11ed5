public import FoundationEssentials
public import Notifications
import Postgres

/// What an event tells, and to whom.
public struct Announcement<N: Notice>: Sendable {
  /// The notices by their subject's id; an event of a schedule may have several.
  let notices: [String: N]
  let audience: Audience
  let actor: Actor
  /// The one person's inbox entry, where an app has made it already.
  let entry: UUID?
  /// The kind of all notices; `nil` where there is none.
  let kind: Kind?
  /// What is done in the transaction in which the last person is told.
  let closing: [SQL]

  /// An announcement of any number of notices of one kind.
  /// - Parameter entry: the inbox entry that stands already, of an audience of one person.
  public init(_ notices: [N], to audience: Audience, except actor: Actor = .unknown, entry: UUID? = nil) {
    self.init(notices, to: audience, except: actor, entry: entry, closing: [])
  }

  init(_ notices: [N], to audience: Audience, except actor: Actor, entry: UUID? = nil, closing: [SQL]) {
    (kind, self.entry) = (notices.first?.kind, entry)
    self.notices = Dictionary(notices.map { ($0.subject.id, $0) }) { first, _ in first }
    (self.audience, self.actor, self.closing) = (audience, actor, closing)
  }
  /// Whether the variants of its notices are tried out now; where they have none, nobody is asked.
  func isExperiment(_ transaction: Transaction) async throws -> Bool {
    guard let kind, notices.values.contains(where: { !$0.variants.isEmpty }) else { return false }
    let rows = try await transaction.query(
      "SELECT FROM experiments WHERE app = \(kind.app.rawValue) AND kind = \(kind.name) AND is_on")
    return !rows.isEmpty
  }
}
