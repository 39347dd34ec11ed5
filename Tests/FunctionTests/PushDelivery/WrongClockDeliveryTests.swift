import DeliveryLive
import FoundationEssentials
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// A clock was a day ahead, and was then set right: what it alone has done to a delivery is undone.
@Suite(.heavy)
struct WrongClockDeliveryTests {
  private static let byTime = ["expired", "quiet_hours", "rate_limited"]

  /// A delivery that the wrong clock has changed, and its state after two runs by the right one.
  ///
  /// The first run makes it due; the second sends it.
  private func state(
    after change: SQL, machine offset: TimeInterval = 0
  ) async throws -> (state: String, reason: String?) {
    let (fixture, accepting) = (try await DeliveryFixture(), ScriptedClient(.accepted, status: 200))
    try await fixture.enqueue(["aa"])
    _ = try await fixture.connection.query("UPDATE deliveries SET \(change)")
    for _ in 1...2 { try await fixture.deliver(accepting.client, after: offset) }
    let delivery = try await fixture.delivery("aa")
    #expect(accepting.pushes.count == (delivery.state == "accepted" ? 1 : 0))
    return (delivery.state, delivery.reason)
  }

  /// It was queued then, leased then, or put off then.
  @Test(arguments: [
    "created_at = created_at + interval '1 day', not_before = not_before + interval '1 day'",
    "lease_id = gen_random_uuid(), lease_until = clock_timestamp() + interval '1 day'",
    "updated_at = updated_at + interval '1 day', not_before = not_before + interval '1 day'",
  ])
  func whatItPutOffIsSent(change: String) async throws {
    #expect(try await state(after: "\(unescaped: change)").state == "accepted")
  }

  /// A right clock has put it off for a reason of its own.
  @Test func whatTheRightClockPutOffWaits() async throws {
    #expect(try await state(after: "not_before = not_before + interval '1 hour'").state == "queued")
  }

  /// Before, it may have waited for a provider or a person.
  @Test(
    arguments: [nil, "ServiceUnavailable", "UNAVAILABLE", "TooManyRequests", "TooManyQuietPushes", "NoKeyForTopic"]
      + byTime)
  func whatItEndedByItsTimeAloneIsSent(reason: String?) async throws {
    let change: SQL = "state = 'expired', reason = \(reason as String?), updated_at = updated_at + interval '1 day'"
    #expect(try await state(after: change).state == "accepted")
  }

  @Test(
    arguments: DeliveryEnd.allCases.map(\.rawValue)
      + Suppression.allCases.map(\.rawValue).filter { !byTime.contains($0) })
  func whatEndedWhateverTheTimeStaysSo(reason: String) async throws {
    let change: SQL = "state = 'expired', reason = \(reason), updated_at = updated_at + interval '1 day'"
    #expect(try await state(after: change) == ("expired", reason))
  }

  /// The right clock has ended it, one that differs by less than a minute has, or it would end by the right one, too.
  ///
  /// A machine whose clock is behind is wrong alone: the database knows better.
  @Test(
    arguments: [
      ("updated_at = updated_at", 0), ("updated_at = updated_at + interval '50 seconds'", 0),
      ("updated_at = updated_at + interval '1 day', expires_at = updated_at", 0),
      ("updated_at = updated_at", -86_400),
    ] as [(String, TimeInterval)])
  func whatTheRightClockEndedStaysSo(_ change: String, machine offset: TimeInterval) async throws {
    #expect(try await state(after: "state = 'expired', \(unescaped: change)", machine: offset) == ("expired", nil))
  }
}
