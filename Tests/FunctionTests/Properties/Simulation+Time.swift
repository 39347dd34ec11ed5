import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport

@testable import EventReminder
@testable import ProposalExpired
@testable import ProposalReminder
@testable import ReleaseHeld

extension Simulation {
  /// Lets time pass until an instant, and stops each time that something is due on the way.
  func advance(to target: Date) async throws {
    for _ in 0..<5_000 {
      let stops = [try await nextRelease(), try await nextDelivery(), moments.min()].compactMap(\.self)
      guard let stop = stops.min(), stop <= target else {
        clock = max(clock, target)
        return
      }
      clock = max(clock, stop)
      if moments.contains(where: { $0 <= clock }) { try await tick() }
      try await settle()
    }
    violation("settled in the end", "something is due again and again at \(clock)")
  }

  /// Releases and sends what is due now.
  func settle() async throws {
    if try await isReleaseDue() {
      let context = Context(function: ReleaseHeld.name, now: clock, log: Log { _ in })
      _ = try await ReleaseHeld(store: random.pick(stores)).handle(.wakeUp, context)
    }
    _ = try await tellChanges()
    repeat { try await deliver() } while try await tellChanges()
    try await askTheQueue()
    try await readInboxes()
    try await askWhatIsKnown()
  }

  /// Whether what waits is due, or entries are to be corrected.
  private func isReleaseDue() async throws -> Bool {
    try await database.query(
      """
      SELECT EXISTS (SELECT FROM stale_entries)
        OR EXISTS (SELECT FROM held_notifications WHERE held_until <= \(clock)) AS is_due
      """
    ).only().decode("is_due")
  }

  /// Nobody's place in the queue may be later than what waits for them.
  private func askTheQueue() async throws {
    let late: [String] = try await database.query(
      """
      SELECT h.reason FROM held_notifications h LEFT JOIN held_people p USING (user_id, app)
      WHERE p.release_at IS NULL OR p.release_at > h.held_until AND p.release_at > \(clock)
      """
    ).decode("reason")
    for reason in late { violation("queue", "what waits (\(reason)) at \(clock) has no place, or a later one") }
  }

  /// How many notifications are held and deliveries queued.
  func waiting() async throws -> Int {
    try await database.query(
      """
      SELECT (SELECT count(*) FROM held_notifications) + (SELECT count(*) FROM deliveries WHERE state = 'queued') AS n
      """
    ).only().decode("n")
  }

  private func nextRelease() async throws -> Date? {
    try await database.query("SELECT min(held_until) AS next FROM held_notifications").only().optional("next")
  }

  private func nextDelivery() async throws -> Date? {
    isSenderOff ? nil : try await queue.nextDue(PushProvider.allCases, clock)
  }

  private func tick() async throws {
    moments.removeAll { $0 <= clock }
    try await hand(ProposalReminder.init, tickDocument)
    try await hand(EventReminder.init, tickDocument)
    let context = Context(function: ProposalExpired.name, now: clock, log: Log { _ in })
    let envelope = try Envelope(RawJSON(validating: Array(tickDocument("tick").utf8)[...]))
    let event = Event(envelope: envelope, data: try ProposalExpired.payload(envelope.data))
    _ = try await ProposalExpired(store: stores[0]).handle(event, context)
  }

  private func tickDocument(_ id: String) -> String {
    #"{"specversion":"1.0","id":"\#(id)","source":"/test","type":"dev.push-functions.schedule","data":{}}"#
  }
}
