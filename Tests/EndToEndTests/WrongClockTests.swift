import FunctionKit
import Postgres
import TestSupport
import Testing

/// A clock that was a day ahead for a moment: nothing waits for the times that it wrote.
@Suite(.heavy)
struct WrongClockTests {
  private func runner(_ manifest: String, script: String) async throws -> RunningRunner {
    let runner = try await RunningRunner(manifest, scripts: ["f.sh": script])
    try await runner.database.script("CREATE TABLE items (id int PRIMARY KEY)")
    _ = try await runner.run(["migrate"])
    try await runner.jump(to: "2027-01-01T00:30:00Z")
    let served = try await runner.start()
    try await served.program.line { $0.contains("Partitions taken") }
    return runner
  }

  @Test func schedulesGoOnFromNow() async throws {
    let runner = try await runner(
      #"{"functions":{"f":{"executable":"f.sh","mode":"oneshot","triggers":[{"schedule":"0 * * * *"}]}}}"#,
      script: "cat >/dev/null")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at IS NOT NULL)")
    try await runner.jump(to: "2027-01-02T01:30:00Z")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedule_fires)")

    try await runner.jump(to: "2027-01-01T00:31:00Z")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at = '2027-01-01 01:00+00')")
    try await runner.jump(to: "2027-01-01T01:00:10Z")

    try await runner.wait(
      until: "EXISTS (SELECT FROM runner.schedule_fires WHERE scheduled_time = '2027-01-01 01:00+00')")
  }

  /// A schedule that was made at half past midnight, by a clock that is then hours behind and is set right again.
  @Test func noOccurrenceBeforeAScheduleWasMadeIsMadeUp() async throws {
    let runner = try await runner(
      #"""
      {"functions":{"f":{"executable":"f.sh","mode":"oneshot","triggers":[
        {"schedule":"0 * * * *","catchup":"all"}]}}}
      """#, script: "cat >/dev/null")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at = '2027-01-01 01:00+00')")
    try await runner.jump(to: "2026-12-31T18:30:00Z")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at = '2026-12-31 19:00+00')")
    try await runner.jump(to: "2026-12-31T19:00:10Z")
    try await runner.wait(
      until: "EXISTS (SELECT FROM runner.schedule_fires WHERE scheduled_time = '2026-12-31 19:00+00')")

    try await runner.jump(to: "2027-01-01T00:31:00Z")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at = '2027-01-01 01:00+00')")
    try await runner.jump(to: "2027-01-01T01:00:10Z")
    try await runner.wait(
      until: "EXISTS (SELECT FROM runner.schedule_fires WHERE scheduled_time = '2027-01-01 01:00+00')")

    #expect(try await runner.database.query("SELECT FROM runner.schedule_fires").count == 2)
  }

  @Test func aRetryWaitsFromNow() async throws {
    let runner = try await runner(
      #"{"functions":{"f":{"executable":"f.sh","mode":"oneshot","triggers":[{"table":"items","events":["INSERT"]}]}}}"#,
      script: "cat >/dev/null; [ -e works ] || exit 75")
    try await runner.jump(to: "2027-01-02T01:30:00Z")
    try await runner.database.script("INSERT INTO items VALUES (1)")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.retries)")

    try runner.project.write("", to: "works")
    try await runner.jump(to: "2027-01-01T00:31:00Z")

    try await runner.wait(until: "NOT EXISTS (SELECT FROM runner.retries)")
    #expect(try await runner.database.query("SELECT FROM runner.history WHERE code = 'OK'").count == 1)
  }

  @Test func whatAFunctionAskedForIsDue() async throws {
    let runner = try await runner(
      #"{"functions":{"f":{"executable":"f.sh","mode":"oneshot","triggers":[{"notify":"items"}]}}}"#,
      script: #"""
        cat >/dev/null; echo >> runs; [ -e works ] || echo '{"wakeAt":"2027-01-02T02:00:00Z"}'
        """#)
    try await runner.wait(until: "EXISTS (SELECT FROM runner.wakeups)")
    try await runner.jump(to: "2027-01-02T01:30:00Z")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.wakeups WHERE at = '2027-01-02 02:00+00')")
    _ = try await runner.database.query("UPDATE runner.wakeups SET noted_at = '2027-01-02 01:30+00'")

    try runner.project.write("", to: "works")
    try await runner.jump(to: "2027-01-01T00:31:00Z")

    try await runner.wait(until: "NOT EXISTS (SELECT FROM runner.wakeups)")
  }
}
