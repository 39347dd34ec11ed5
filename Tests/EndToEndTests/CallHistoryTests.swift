import FunctionKit
import Postgres
import TestSupport
import Testing

/// The history of calls over HTTP.
@Suite(.heavy)
struct CallHistoryTests {
  private static let manifest = #"""
    {"functions":{"f":{"executable":"f.sh","mode":"oneshot","redact":["email"]}}}
    """#

  private func serve(_ script: String, history: String = "") async throws -> Served {
    let manifest = Self.manifest.replacing(#"{"functions""#, with: #"{\#(history)"functions""#)
    return try await RunningRunner(manifest, scripts: ["f.sh": script]).start()
  }

  private func row(_ served: Served, _ eventID: String) async throws -> Row {
    try await served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE event_id = \(eventID))")
    return try await served.runner.database.query(
      """
      SELECT *, at <= ended_at AND ended_at <= runner.now() AND runner.now() - at < interval '10 minutes' AS is_timed
      FROM runner.history WHERE event_id = \(eventID)
      """
    ).only()
  }

  private func call(_ served: Served, _ id: String, data: String = "{}") async throws -> Int {
    try await served.call(
      "f", data, headers: [("ce-specversion", "1.0"), ("ce-id", id), ("ce-source", "/s"), ("ce-type", "t.x")]
    ).status
  }

  @Test func hasEveryCallWithItsOutcome() async throws {
    let served = try await serve("case $(cat) in *fail*) echo Oh dear >&2; exit 3 ;; *) echo '{}' ;; esac")

    #expect(try await call(served, "good") == 200)
    #expect(try await call(served, "bad", data: #""fail""#) == 500)

    let good = try await row(served, "good")
    #expect((good["function"], good["kind"], good["code"], good["exit_status"]) == ("f", "http", "OK", "0"))
    #expect((good["partition"], good["id"], good["error"], good["is_timed"]) == (nil, nil, nil, "t"))
    #expect(try good.decode("duration_us", as: Int.self) > 0)
    let bad = try await row(served, "bad")
    #expect((bad["code"], bad["exit_status"]) == ("WORKER_ERROR", "3"))
    #expect(bad["error"]?.contains("Oh dear") == true)
  }

  @Test func keepsPayloadsWithoutWhatIsRedacted() async throws {
    let served = try await serve("cat")

    _ = try await call(served, "1", data: #"{"email":"a@b","n":1.50}"#)
    _ = try await call(served, "2", data: #"{"nul":"\u0000"}"#)
    _ = try await call(served, "3", data: #"{"large":1e999999}"#)

    try await served.runner.wait(until: "EXISTS (SELECT FROM runner.payloads WHERE event_id = '1')")
    let row = try await served.runner.database.query("SELECT * FROM runner.payloads WHERE event_id = '1'").only()
    #expect(row["data"] == #"{"n": 1.50, "email": null}"#)
    #expect((row["source"], row["type"], row["function"]) == ("/http/f", "t.x", "f"))
    try await served.runner.wait(until: "(SELECT count(*) FROM runner.history) = 3")
  }

  @Test func keepsNoPayloadsWhereNoneAreWanted() async throws {
    let served = try await serve("cat", history: #""history":{"payloads":false},"#)

    _ = try await call(served, "1")

    _ = try await row(served, "1")
    let count = try await served.runner.database.query("SELECT count(*)::int AS n FROM runner.payloads").only()
    #expect(count["n"] == "0")
  }

  @Test func hasTheLastCallsBeforeTheRunnerStopped() async throws {
    let served = try await serve("cat")
    _ = try await call(served, "last")

    served.program.send(15)
    try await served.program.exit()

    _ = try await row(served, "last")
  }
}
