package import FoundationEssentials
package import Notifications
package import Postgres
import PushPayload
import StoreLive

/// The actions that people choose on their notifications, in PostgreSQL.
///
/// The row events of an act settle the notification and the other devices.
package struct ActionStore: Sendable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Does what a person chose on a notification, and records that they acted on it; a repeated act changes nothing.
  ///
  /// - Throws: ``ActionRefusal``, or `PostgresError`.
  package func act(
    _ chosen: ChosenAction, by person: Person, at now: Date, dryRun: Bool = false
  ) async throws -> ActionReceipt {
    let (receipt, deliveries) = try await connection.change(by: person, dryRun: dryRun) { transaction in
      let subject = try await transaction.subject(of: chosen, by: person)
      _ = try await transaction.query(.lockState(of: [person.id], in: subject.app))
      return try await transaction.act(chosen, on: subject, by: person, at: now)
    }
    if !dryRun { try await note(deliveries, .acted, at: now) }
    return receipt
  }

  /// Records that a person opened a notification, and marks it as read.
  ///
  /// - Throws: ``ActionRefusal``, or `PostgresError`.
  package func open(_ opening: Interaction, by person: Person, at now: Date, dryRun: Bool = false) async throws {
    let deliveries = try await connection.change(by: person, dryRun: dryRun) { transaction in
      guard try await !transaction.query(.ownNotification(opening.notification, of: person)).isEmpty else {
        throw ActionRefusal.unknownNotification
      }
      return try await transaction.record(opening, at: now)
    }
    if !dryRun { try await note(deliveries, .opened, at: now) }
  }

  // This is outside the transaction, which would lock one delivery while it waits for another that a sender has locked.
  // If the process dies before this, the act stays recorded; only the rate that counts acted deliveries misses one.
  private func note(_ deliveries: [UUID], _ event: Interaction.Event, at now: Date) async throws {
    try await InteractionStore(connection).move(deliveries, to: event, at: now)
  }
}

extension Transaction {
  /// Does the chosen action for a person whose row is locked; returns the deliveries to advance.
  fileprivate func act(
    _ chosen: ChosenAction, on subject: ActionSubject, by person: Person, at now: Date
  ) async throws -> (ActionReceipt, [UUID]) {
    var receipt = ActionReceipt(chosen)
    let recorded = try await query(.recorded(chosen)).first
    if let recorded, try chosen.isRepetition(of: recorded) {
      receipt.sentAgainAt = try recorded.optional("snoozed_until")
      if chosen.action == .muteGroup { receipt.mutedUntil = try await groupMute(of: subject, by: person, at: now)?.end }
      return (receipt, [])
    }
    let hasChanged: Bool
    switch chosen.action {
    case .voteYes: hasChanged = try await vote("yes", on: subject, by: person, at: now)
    case .voteMaybe: hasChanged = try await vote("maybe", on: subject, by: person, at: now)
    case .voteNo: hasChanged = try await vote("no", on: subject, by: person, at: now)
    case .acceptFriend: hasChanged = try await answerFriend(.accepted, on: subject, by: person, at: now)
    case .declineFriend: hasChanged = try await answerFriend(.declined, on: subject, by: person, at: now)
    case .acceptGroup: hasChanged = try await answerGroup(.accepted, on: subject, by: person, at: now)
    case .declineGroup: hasChanged = try await answerGroup(.declined, on: subject, by: person, at: now)
    case .snooze:
      receipt.sentAgainAt = try await snooze(chosen, subject, at: now)
      hasChanged = true
    case .muteGroup: (hasChanged, receipt.mutedUntil) = try await muteGroup(chosen, subject, by: person, at: now)
    case .reply, .markRead, .helpful, .notHelpful, .openEvent, .getDirections, .viewConflict, .messageFriend,
      .viewProfile, .viewGroup, .addPhoto, .maybeLater:
      hasChanged = true
    }
    guard hasChanged || recorded == nil else { return (receipt, []) }
    let deliveries = try await record(chosen.interaction, wantsItAgain: chosen.action == .snooze, at: now)
    _ = try await query(.insert(chosen, on: subject, by: person, snoozedUntil: receipt.sentAgainAt, at: now))
    return (receipt, deliveries)
  }

  /// Records an interaction; returns the deliveries to advance.
  fileprivate func record(_ interaction: Interaction, wantsItAgain: Bool = false, at now: Date) async throws -> [UUID] {
    let found = try await query(.record(interaction, wantsItAgain: wantsItAgain, now: now))
    guard let row = found.first else { throw ActionRefusal.unknownDevice }
    return try row.decode("deliveries")
  }
}

extension ChosenAction {
  /// Whether it repeats the recorded act, so that there is nothing to do.
  ///
  /// If the app sends no time, an act that changes a state is done again; this has no effect if nothing has changed. A
  /// snooze is new after its notification was sent again.
  fileprivate func isRepetition(of recorded: Row) throws(PostgresError) -> Bool {
    if time != nil { return true }
    switch action {
    case .voteYes, .voteMaybe, .voteNo, .acceptFriend, .declineFriend, .acceptGroup, .declineGroup, .muteGroup:
      return false
    case .snooze: return try recorded.decode("is_snoozed")
    default: return true
    }
  }
}
