import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive
import TestSupport
import Testing

/// `runner why` says what becomes of what stays unread.
@Suite(.heavy)
struct UnreadWhyTests {
  private func why(_ scene: UnreadScene, _ event: String, _ words: [String] = []) async throws -> String {
    let outcome = try await BuiltExecutables.run(
      "push", ["why", event] + words, environment: ["DATABASE_URL": scene.policy.demo.url])
    #expect(outcome.exit == 0, "\(outcome.stderr)")
    return outcome.stdout
  }

  @Test func itSaysWhenAFunctionGetsItAndThatItGotIt() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.set("timezone = 'Europe/Berlin'")
    let event = try await scene.policy.vote(1, at: UnreadScene.noon).result.event

    let before = try await why(scene, event)
    try await scene.check(at: UnreadScene.due)
    let after = try await why(scene, event)
    let document = try await why(scene, event, ["--json"])

    #expect(before.contains("If it stays unread, tell gets it at 14:30."), "\(before)")
    #expect(after.contains("It stayed unread: tell got it at 14:30:00."), "\(after)")
    #expect(document.contains(#""function":"tell""#) && document.contains(#""state":"given""#), "\(document)")
  }

  @Test func itSaysWhyItWaitsAndWhyNobodyGotIt() async throws {
    let scene = try await UnreadScene()
    let event = try await scene.policy.vote(1, at: UnreadScene.noon).result.event
    try await scene.policy.set(
      "quiet_hours_enabled = true, timezone = 'UTC', quiet_hours_start = '12:20', quiet_hours_end = '15:00'")
    try await scene.check(at: UnreadScene.due)

    let waits = try await why(scene, event)
    try await scene.change("UPDATE notifications SET is_read = true")
    try await scene.check(at: UnreadScene.noon + 3 * 3_600 + 61)
    let read = try await why(scene, event)

    #expect(waits.contains("If it stays unread, tell gets it at 15:0") && waits.contains(": quiet hours."), "\(waits)")
    #expect(read.contains("tell did not get it at 15:01:01: they had read or done it"), "\(read)")
  }
}
