import API
import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Settings that PostgreSQL takes and the API would refuse.
@Suite(.heavy)
struct OddSettingsTests {
  @Test func twentyFourOClockIsMidnightInAZoneInAnyCase() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set(
      "quiet_hours_enabled = true, quiet_hours_start = '21:00', quiet_hours_end = '24:00', timezone = 'europe/BERLIN'")
    let evening = try #require(RFC3339.date("2026-06-15T20:30:00Z"))

    try await scene.vote(1, at: evening)

    let held = try await scene.demo.connection.query(
      "SELECT held_until FROM held_notifications WHERE user_id = \(scene.person)")
    let midnight = try #require(RFC3339.date("2026-06-15T22:00:00Z"))
    // A release comes up to a minute later.
    #expect(try (midnight...midnight + 60).contains(held.only().decode("held_until")))
  }

  @Test func theAPISaysMidnightAsItTakesIt() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set("quiet_hours_enabled = true, quiet_hours_start = '21:00', quiet_hours_end = '24:00'")
    let api = APIScene(scene.demo)
    try await api.issueTokens()
    let person = try #require(Person.allCases.first { $0.id == scene.person.uuidString.lowercased() })

    let answer = try await api.call(api.preferences, .get, "/api/v1/auth/notifications", as: person)

    #expect(answer.json["quietHours"]?["end"]?.stringValue == "00:00", "\(answer.response.body ?? "")")
  }
}
