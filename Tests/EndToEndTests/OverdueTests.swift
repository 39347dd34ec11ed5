import FunctionKit
import Postgres
import TestSupport
import Testing

/// Things that should have happened more than a minute ago are told wherever somebody looks.
@Suite(.heavy)
struct OverdueTests {
  /// Asks to have been run five minutes ago, and fails whenever it is.
  private static let late = """
    cat >/dev/null; [ ! -e asked ] || exit 75; touch asked; printf '{"wakeAt":"%s"}' "$(date -u -d '-5 minutes' +%FT%TZ)"
    """

  @Test func aFunctionThatIsDueAndFailsIsNamed() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"late":{"executable":"late.sh","mode":"oneshot","triggers":[{"notify":"items"}]}}}"#,
      scripts: ["late.sh": Self.late])
    try await runner.database.script("CREATE TABLE items (id int)")
    let served = try await runner.start(options: ["--console", "on"])
    try await runner.wait(until: "EXISTS (SELECT FROM runner.wakeups)")

    let (status, json) = (try await runner.run(["status"]), try await runner.run(["status", "--json"]))
    let doctor = try await runner.run(["doctor"])
    let metrics = try await served.request("/metrics").text
    let page = try await ServedConsole(served: served).get("/_/console/")

    let sentence = "late asked to be run 5 min"
    #expect(status.stdout.contains("overdue") && status.stdout.contains(sentence), "\(status.stdout)")
    let overdue = try RawJSON(validating: Array(json.stdout.utf8)[...])["overdue"]?.elements?.first
    #expect(overdue?["what"]?.stringValue == "function" && overdue?["name"]?.stringValue == "late")
    #expect(doctor.stdout.contains("overdue") && doctor.stdout.contains(sentence), "\(doctor.stdout)")
    let lag = metrics.firstMatch(of: /push_runner_wakeup_lag_seconds\{function="late"\} ([0-9.]+)/)
    #expect(lag.flatMap { Double($0.1) }.map { $0 >= 300 } == true, "\(metrics)")
    #expect(page.text.contains("Overdue: \(sentence)"), "\(page.text)")
  }

  @Test func aRetryAndAScheduleThatNobodyFiresAreNamed() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{"f":{"executable":"f.sh","mode":"oneshot",
        "triggers":[{"table":"items","events":["INSERT"]},{"schedule":"0 3 * * *","timezone":"UTC"}]}}}
      """#, scripts: ["f.sh": "cat >/dev/null; exit 75"])
    try await runner.database.script("CREATE TABLE items (id int PRIMARY KEY)")
    let served = try await runner.start()
    try await runner.database.script("INSERT INTO items VALUES (1)")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.retries)")
    served.program.send(15)
    try await served.program.exit()
    try await runner.database.script(
      """
      UPDATE runner.retries SET run_at = runner.now() - interval '2 minutes';
      UPDATE runner.schedules SET next_at = runner.now() - interval '3 minutes'
      """)

    let status = try await runner.run(["status"]).stdout

    #expect(status.contains("the schedule f is 3 min late"), "\(status)")
    #expect(status.contains("events of f were to be tried again 2 min ago"), "\(status)")
  }

  @Test func whereNothingIsOverdueNothingIsSaid() async throws {
    let runner = try await RunningRunner(#"{"functions":{}}"#)
    let served = try await runner.start(options: ["--console", "on"])

    #expect(try await !runner.run(["status"]).stdout.contains("overdue"))
    #expect(try await !runner.run(["doctor"]).stdout.contains("overdue"))
    #expect(try await !ServedConsole(served: served).get("/_/console/").text.contains("Overdue"))
  }
}
