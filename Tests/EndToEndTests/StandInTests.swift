import FunctionKit
import Postgres
import TestSupport
import Testing

/// A push emulator never passes for Apple or Google where real people wait.
@Suite(.heavy)
struct StandInTests {
  private static let nothingIsAccepted: SQL = """
    NOT EXISTS (SELECT FROM deliveries WHERE state = 'accepted')
      AND NOT EXISTS (SELECT FROM push_notification_logs WHERE status = 'sent')
    """

  private func bundle(_ environment: [String: String] = [:]) async throws -> RunningRunner {
    try await RunningRunner(try House.text("functions.json"), environment: environment)
  }

  @Test func withoutKeysDeliveriesOfOthersDatabasesWaitAndEverythingSaysSo() async throws {
    let runner = try await bundle()
    let served = try await runner.start(services: true, isLocal: false, options: ["--console", "on"])
    let warning = try await served.program.line { $0.contains("A service is not started") }
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))
    try await runner.wait(
      within: .seconds(120), until: "(SELECT count(*) FROM deliveries WHERE state = 'queued') > 0")
    try await served.program.line(within: .seconds(120)) { $0.contains("Neither APNs nor FCM is configured") }

    let doctor = try await runner.run(["doctor"], timeout: .seconds(120))

    let metrics = try await served.request("/metrics").text

    #expect(warning.contains("deliveries wait") && warning.contains("set APNS_KEY_ID or"))
    #expect(warning.contains("--emulator"))
    #expect(metrics.contains(#"push_runner_service_missing{service="push-emulator"} 1"#))
    #expect(doctor.exit == 78)
    #expect(doctor.stdout.contains("push-emulator: deliveries wait"))
    #expect(!served.program.lines.contains { $0.contains("A service is up") })
    try await runner.wait(until: Self.nothingIsAccepted)
    try await expectTheReasonEverywhere(runner, served)
  }

  /// A person who asks why pushes wait is told that nothing is configured that would send them.
  private func expectTheReasonEverywhere(_ runner: RunningRunner, _ served: Served) async throws {
    let queued: SQL = """
      FROM deliveries v JOIN decisions d ON d.notification_id = v.notification_id JOIN users u ON u.id = v.user_id
      WHERE v.state = 'queued' AND v.provider = 'apns'
      """
    try await runner.wait(until: "EXISTS (SELECT FROM push_outages) AND EXISTS (SELECT \(queued))")
    let told = try await runner.database.query("SELECT u.email, d.event_id \(queued) LIMIT 1").only()
    let (email, event) = (told["email"] ?? "", told["event_id"] ?? "")

    for words in [["status"], ["doctor"], ["doctor", "push"], ["why", email], ["people", email], ["why", event]] {
      let said = try await runner.run(words).stdout
      #expect(said.contains(": APNs is not configured"), "\(words): \(said)")
    }
    for page in ["", "people/\(email)", "explain/\(event)", "event/\(event)"] {
      let answer = try await ServedConsole(served: served).get("/_/console/\(page)")
      #expect(answer.text.contains("APNs is not configured"), "\(page): \(answer.text)")
    }
  }

  @Test func whatAnEmulatorTookCountsOnlyInADatabaseThatIsSaidToBeLocal() async throws {
    let other = try await RunningBundle()
    let phones = try await other.start()
    let runner = try await bundle(phones.environment)
    let served = try await runner.start(isLocal: false)
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))

    try await served.program.line(within: .seconds(120)) {
      $0.contains("A push emulator is configured beside a database that is not local")
    }
    let doctor = try await runner.run(["doctor", "push"], timeout: .seconds(120))

    try await runner.wait(until: Self.nothingIsAccepted)
    try await runner.wait(until: "NOT EXISTS (SELECT FROM device_tokens WHERE NOT is_active)")
    #expect(doctor.exit == 78 && doctor.stdout.contains("the database is not local: deliveries wait"))
  }

  @Test func aCommandForAnotherDatabaseGetsNothingOfTheServingRunnersServices() async throws {
    let bundle = try await RunningBundle()
    _ = try await bundle.start()
    let invoke = ["invoke", "push-delivery", "--dry-run", "--event", "-"]
    let elsewhere = try await TemporaryPostgres.database()

    let own = try await bundle.runner.run(invoke, stdin: "{}")
    let others = try await BuiltExecutables.run(
      "runner", invoke + ["--project", bundle.runner.project.path], stdin: "{}",
      environment: ["DATABASE_URL": elsewhere])

    #expect(own.exit == 0, "\(own.stdout)")
    #expect(others.exit == 78 && others.stdout.contains("Neither APNs nor FCM is configured"))
  }
}
