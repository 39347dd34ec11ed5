package import FoundationEssentials
package import Notifications
import Postgres

/// The notices of an event with their audience.
package struct Announcement<N: Notice>: Sendable {
  /// The notices by their subject's id; a schedule's event may have several.
  let notices: [String: N]
  let audience: Audience
  let actor: Actor
  /// The inbox entry of the only person, if the app has made it already.
  let entry: UUID?
  /// The kind of all notices; `nil` without notices.
  let kind: Kind?
  /// Statements for the transaction that notifies the last person.
  let closing: [SQL]
  /// Why there is no notice, if that has a name.
  private(set) var reason: String?
  /// Whether its subject was settled and is open again: what people were told of it before does not count.
  var isAskedAgain = false
  /// The proposal whose lead it is made from.
  var lead: UUID?
  /// The proposal whose lead the closing statements change.
  var newLead: UUID?
  /// The number of voters for other devices, in the transaction that notifies the last person.
  var voteCount: VoteCount?

  /// Announces any number of notices of one kind.
  /// - Parameter entry: the inbox entry of an audience of one person, if there already is one.
  package init(_ notices: [N], to audience: Audience, except actor: Actor = .unknown, entry: UUID? = nil) {
    self.init(notices, to: audience, except: actor, entry: entry, closing: [])
  }

  /// Announces nothing.
  /// - Parameter reason: the result's reason.
  package static func nothing(because reason: String) -> Announcement {
    var announcement = Announcement([], to: .nobody)
    announcement.reason = reason
    return announcement
  }

  init(_ notices: [N], to audience: Audience, except actor: Actor, entry: UUID? = nil, closing: [SQL]) {
    (kind, self.entry) = (notices.first?.kind, entry)
    self.notices = Dictionary(notices.map { ($0.subject.id, $0) }) { first, _ in first }
    (self.audience, self.actor, self.closing) = (audience, actor, closing)
  }

  /// Whether an experiment with the variants of its notices is on; without variants, the database is not asked.
  func isExperiment(_ transaction: some QueryExecutor) async throws -> Bool {
    guard let kind, notices.values.contains(where: { !$0.variants.isEmpty }) else { return false }
    let rows = try await transaction.query(
      "SELECT FROM experiments WHERE app = \(kind.app.rawValue) AND kind = \(kind.name) AND is_on")
    return !rows.isEmpty
  }
}
