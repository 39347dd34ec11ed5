import FoundationEssentials
import Notifications
import Postgres

extension Transaction {
  /// Mutes the group of a proposal for an hour from the tap, and says when the mute ends.
  ///
  /// It shortens no mute. Nothing changes if the group is muted as long already: an app that sends no time may send the
  /// same tap again.
  func muteGroup(
    _ chosen: ChosenAction, _ subject: ActionSubject, by person: Person, at now: Date
  ) async throws -> (hasChanged: Bool, end: Date) {
    guard let mute = try await groupMute(of: subject, by: person, at: now) else {
      throw ActionRefusal.conflict("The proposal is gone.")
    }
    let end = min(max(chosen.time ?? now, subject.sentAt), now).addingTimeInterval(Self.hour)
    guard end > now else { throw ActionRefusal.conflict("The hour to mute has passed.") }
    if let earlier = mute.end, end.timeIntervalSince(earlier) < 60 { return (false, earlier) }
    _ = try await query(.mute(mute.scope, until: end, by: person, at: now))
    return (true, end)
  }

  /// The group of a notification's proposal, and the end of its mute; `nil` if the proposal is gone.
  func groupMute(
    of subject: ActionSubject, by person: Person, at now: Date
  ) async throws -> (scope: MuteScope, end: Date?)? {
    let found = try await query("SELECT group_id FROM event_proposals WHERE id = \(subject.proposal as UUID?)")
    guard let row = found.first else { return nil }
    let scope = MuteScope.part(try row.decode("group_id"), of: .lockItIn)
    return (scope, try await query(.mute(scope, by: person, at: now)).first?.decode("muted_until"))
  }

  private static let hour: TimeInterval = 3_600
}
