package import FoundationEssentials
import Notifications
package import Postgres
package import StoreLive

extension Transaction {
  /// Settles, in this transaction, the notifications that asked for an act, and puts the badge on the person's other
  /// devices.
  ///
  /// A repetition changes nothing, except that the badge may be pushed again.
  /// - Parameter device: the device of the act; `nil` means the device that the app has just reported.
  package func settle(_ act: CompletedAct, on device: UUID? = nil, _ event: EventContext) async throws -> Settlement {
    guard let person = try await person(of: act, at: event.now) else {
      return Settlement(of: event, reason: Suppression.subjectGone.rawValue)
    }
    _ = try await query(.lockState(of: [person.id], in: person.app))
    return try await settle(act, by: person, on: device, event)
  }

  /// Settles an act of a person whose row is locked.
  func settle(
    _ act: CompletedAct, by person: ActingPerson, on device: UUID? = nil, _ event: EventContext
  ) async throws -> Settlement {
    var settlement = Settlement(of: event)
    let settled = try await pipeline([.settle(act, at: event.now)].asOwnWrites)[1]
    let reported = try settlement.read(try settled.only())
    guard settlement.movesBadge(of: person) else { return settlement }
    let push = SQL.pushBadges(to: [person.id], in: person.app, except: device ?? reported, event)
    settlement.badgePushes = try await pipeline(push)[1].affectedRows
    return settlement
  }

  /// Counts what an act settles.
  func rehearse(_ act: CompletedAct, _ event: EventContext) async throws -> Settlement {
    guard let person = try await person(of: act, at: event.now) else {
      return Settlement(of: event, reason: Suppression.subjectGone.rawValue)
    }
    var settlement = Settlement(of: event)
    let reported = try settlement.read(try await query(.countSettled(by: act, at: event.now)).only())
    if settlement.movesBadge(of: person) {
      let devices = SQL.badgeDevices(of: [person.id], in: person.app, except: reported, at: event.now)
      settlement.badgePushes = try await query(devices).count
    }
    return settlement
  }

  /// The person who did it; `nil` if its object is gone, or belongs to an app that this version does not know.
  func person(of act: CompletedAct, at now: Date) async throws -> ActingPerson? {
    try ActingPerson(try await query(act.facts(at: now)))
  }
}

/// A person who did something.
struct ActingPerson {
  let id: UUID
  let app: App
  /// Whether the act changes their badge.
  let badgeHasChanged: Bool

  /// - Parameter facts: what ``CompletedAct/facts(at:)`` found.
  init?(_ facts: Rows) throws {
    guard let row = facts.first, let app = App(rawValue: try row.decode("app")) else { return nil }
    (id, self.app, badgeHasChanged) = (try row.decode("user_id"), app, try row.decode("has_changed"))
  }
}

extension Settlement {
  /// Whether devices may need the person's badge: it has changed, or a push that would have carried it has left the queue.
  func movesBadge(of person: ActingPerson) -> Bool { person.badgeHasChanged || withdrawn > 0 }

  /// Reads the counts; returns the device of the act if it is known.
  mutating func read(_ row: Row) throws -> UUID? {
    (handled, withdrawn, held) = (
      try row.decode("handled"), try row.decode("withdrawn"), try row.decode("held")
    )
    return try row.optional("device")
  }
}
