import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive
import TestSupport
import World

/// An event as a function was given it, with the simulation's knowledge of it.
struct HandedEvent {
  let id: String
  let function: String
  /// The person whose act it is.
  let actors: Set<String>
  /// Everybody about whom a decision must be made; `nil` where that is not known here.
  let audience: Set<String>?
  let time: Date
  let result: RawJSON
  let handAgain: @Sendable (_ now: Date) async throws -> RawJSON

  var isTick: Bool { function == "proposal-reminder" || function == "event-reminder" }
}

extension Simulation {
  /// Gives a function the event of an act.
  func hand<F: Function>(
    _ function: @escaping @Sendable (NotificationStore) -> F, _ event: World.Event, _ act: World.Act
  ) async throws where F.Output == RawJSON {
    try await hand(function, { event.document($0, at: clock) }, by: act.actors, to: act.audience)
  }

  /// Gives a function an event, sometimes twice at once.
  func hand<F: Function>(
    _ function: @escaping @Sendable (NotificationStore) -> F, _ document: (_ id: String) -> String,
    by actors: Set<String> = [], to audience: Set<String>? = nil
  ) async throws where F.Output == RawJSON {
    let id = "e\(handed.count + 1)"
    let envelope = try Envelope(RawJSON(validating: Array(document(id).utf8)[...]))
    let stores = self.stores
    let hand: @Sendable (Int, Date) async throws -> RawJSON = { store, now in
      let event = Event(envelope: envelope, data: try F.payload(envelope.data))
      return try await function(stores[store])
        .handle(event, Context(function: F.name, now: now, log: Log { _ in }))
    }
    let now = clock
    let result: RawJSON
    if random.percent(15) {
      async let one = hand(0, now)
      async let other = hand(1, now)
      let results = try await [one, other]
      result = results[0]
      if results[0] != results[1] { violation("told twice", "\(id) of \(F.name) had two results at once") }
    } else {
      result = try await hand(0, now)
    }
    handed.append(
      HandedEvent(
        id: id, function: F.name, actors: actors, audience: audience, time: clock, result: result,
        handAgain: { try await hand(1, $0) }))
  }

  /// Gives a function an event that it has had before; that must change nothing.
  func repeatEvent(_ event: HandedEvent) async throws {
    let again = try await event.handAgain(clock)
    if again != event.result { violation("told twice", "\(event.id) of \(event.function) had another result again") }
  }
}
