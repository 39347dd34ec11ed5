import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// `GET /metrics` and `GET /_/state` of a serving runner.
@Suite(.heavy)
struct MetricsTests {
  private static let manifest = #"""
    {"metrics":["push_seats","gone"],
     "functions":{"f":{"executable":"f.sh","mode":"oneshot","attempts":1,
      "triggers":[{"schedule":"0 0 1 1 *"}]}}}
    """#
  private static let script = "case $(cat) in *fail*) exit 3 ;; *) echo '{}' ;; esac"

  private func serve() async throws -> Served {
    let runner = try await RunningRunner(Self.manifest, scripts: ["f.sh": Self.script])
    try await runner.database.script(
      """
      CREATE VIEW push_seats AS SELECT * FROM (VALUES ('a"\\b' || chr(10) || 'ü', 1.5), ('free', 'NaN'), ('free', 3))
        AS v (state, value)
      """)
    return try await runner.start()
  }

  private func exposition(_ served: Served) async throws -> Exposition {
    let answer = try await served.request("/metrics")
    #expect(
      answer.headers.contains {
        $0.name.lowercased() == "content-type" && $0.value.hasPrefix("text/plain; version=0.0.4")
      })
    return try Exposition(answer.text)
  }

  @Test func countWhatHasBeenDone() async throws {
    let served = try await serve()
    for body in ["{}", "{}", #""fail""#] { _ = try await served.call("f", body) }
    _ = try await served.call("nobody")

    let metrics = try await exposition(served)

    func invocations(_ code: String) -> Double? {
      metrics["push_runner_invocations_total", ["function": "f", "trigger": "http", "code": code]]
    }
    #expect(invocations("OK") == 2)
    #expect(invocations("WORKER_ERROR") == 1)
    #expect(metrics["push_runner_invocation_duration_seconds_count", ["function": "f"]] == 3)
    #expect(metrics["push_runner_invocation_duration_seconds_bucket", ["function": "f", "le": "+Inf"]] == 3)
    #expect(metrics["push_runner_http_requests_total", ["status": "200"]] == 2)
    #expect(metrics["push_runner_http_requests_total", ["status": "404"]] == 1)
    #expect(metrics["push_runner_up", [:]] == 1)
    #expect(metrics["push_runner_database_up", [:]] == 1)
    #expect(metrics["push_runner_processes", ["function": "f"]] == 0)
    #expect(metrics["push_runner_running", ["function": "f"]] == 0)
    #expect(metrics["process_resident_memory_bytes", [:]] ?? 0 > 1_000_000)
    #expect(metrics["push_runner_events_waiting", ["function": "f"]] == 0)
  }

  @Test func showTheQueue() async throws {
    let served = try await serve()
    try await served.runner.wait(until: "EXISTS (SELECT 1 FROM runner.schedules WHERE next_at > runner.now())")
    try await served.runner.database.script(
      """
      INSERT INTO runner.events (partition, id, function, at) VALUES (0, -1, 'stranger', runner.now() - interval '90 seconds');
      INSERT INTO runner.dead_letters (partition, id, function, attempts, code, error) VALUES (0, 2, 'f', 1, 'X', 'y');
      INSERT INTO runner.retries (partition, id, function, attempt, run_at, code, error)
        VALUES (0, 3, 'f', 1, runner.now() + interval '1 day', 'X', 'y');
      INSERT INTO runner.schedules (name, expression, timezone, since, next_at)
        VALUES ('late', '* * * * *', 'UTC', runner.now(), runner.now() - interval '20 seconds');
      """)

    let metrics = try await exposition(served)

    #expect(metrics["push_runner_events_waiting", ["function": "stranger"]] == 1)
    #expect(metrics["push_runner_oldest_event_age_seconds", ["function": "stranger"]] ?? 0 >= 90)
    #expect(metrics["push_runner_dead_letters", ["function": "f"]] == 1)
    #expect(metrics["push_runner_retries", ["function": "f"]] == 1)
    #expect(metrics["push_runner_schedule_lag_seconds", ["schedule": "late"]] ?? 0 >= 20)
  }

  @Test func showTheViewsThatTheManifestNames() async throws {
    let served = try await serve()

    let metrics = try await exposition(served)

    #expect(metrics.kinds["push_seats"] == "gauge")
    #expect(metrics["push_seats", ["state": "a\"\\b\nü"]] == 1.5)
    #expect(metrics["push_seats", ["state": "free"]]?.isNaN == true)
    #expect(metrics.kinds["gone"] == nil)
    try await served.program.line { $0.contains("Figures cannot be read") && $0.contains("public.gone") }
  }

  @Test func showTheBundlesDeliveriesByOutcome() async throws {
    let phones = try await RunningBundle().start()

    let metrics = try await exposition(phones.served)

    for state in ["queued", "accepted", "rejected", "expired", "unknown", "opened", "acted"] {
      let value = metrics["push_deliveries_by_state", ["state": state, "provider": "apns"]]
      #expect(value != nil, "\(state)")
    }
    #expect(metrics["push_oldest_due_seconds", [:]] != nil)
    #expect(metrics.kinds["push_attempts_last_hour"] == "gauge" && metrics.kinds["push_held_deliveries"] == "gauge")
  }

  @Test func areThereWithoutTheDatabaseToo() async throws {
    let served = try await serve()
    try await served.runner.database.script("ALTER TABLE runner.events RENAME TO elsewhere")

    let metrics = try await exposition(served)

    #expect(metrics["push_runner_database_up", [:]] == 0)
    #expect(metrics["push_runner_up", [:]] == 1)
  }

  @Test func theStateSaysWhyAFunctionIsPaused() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"executable":"f.sh","mode":"oneshot"}}}"#,
      scripts: ["f.sh": #"echo '{"error":{"message":"KEY is missing."}}'; exit 78"#])
    let served = try await runner.start()

    _ = try await served.call("f", headers: [("Prefer", "respond-async")])
    try await served.program.line { $0.contains("paused") }

    let state = try await served.request("/_/state").json
    let paused = state?["functions"]?.elements?.first?["paused"]
    #expect(paused?["code"]?.stringValue == "CONFIG_ERROR")
    #expect(paused?["message"]?.stringValue == "KEY is missing.")
    #expect(try Exposition(await served.request("/metrics").text)["push_runner_paused", ["function": "f"]] == 1)
  }

  @Test func theStateSaysWhatIsGoingOn() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"executable":"f.sh","mode":"oneshot","concurrency":1}}}"#,
      scripts: ["f.sh": "touch started; while [ ! -e go ]; do sleep 0.01; done; echo '{}'"])
    let served = try await runner.start()
    async let first = served.call("f")
    _ = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "while [ ! -e \(runner.project.path)/started ]; do sleep 0.01; done"])

    // Another client: one that waits for an answer asks nothing else of the same server before it has come.
    let other = Served(runner: runner, program: served.program, url: served.url, client: HTTPClient())
    let busy = try await other.request("/_/state")

    #expect(busy.json?["idle"] == RawJSON(false))
    let function = busy.json?["functions"]?.elements?.first
    #expect(function?["name"]?.stringValue == "f")
    #expect(function?["running"]?.intValue == 1 && function?["processes"]?.intValue == 1)
    #expect(function?["waiting"]?.intValue == 0 && function?["paused"] == .null)
    #expect(busy.json?["partitions"]?.elements != nil)
    try runner.project.write("", to: "go")
    #expect(try await first.status == 200)
    #expect(try await served.request("/_/state").json?["functions"]?.elements?.first?["running"]?.intValue == 0)
  }
}
