import FunctionKit
import Postgres
import TestSupport
import Testing

/// A runner that starts beside a changed schema runs every function but those that it concerns.
@Suite(.heavy)
struct ChangedSchemaTests {
  private static let functions = #"""
    {"functions": {
      "f": {"executable": "f.sh", "mode": "oneshot", "triggers": [{"table": "t", "events": ["INSERT"]}]},
      "g": {"executable": "f.sh", "mode": "oneshot", "triggers": [{"table": "other", "events": ["INSERT"]}]}}}
    """#

  private func done(_ function: String) -> SQL {
    "EXISTS (SELECT FROM runner.history WHERE function = \(function) AND code = 'OK')"
  }

  @Test(arguments: [true, false]) func theOthersRunAndItGoesOnWhenItIsMended(_ migrates: Bool) async throws {
    let runner = try await RunningRunner(Self.functions, scripts: ["f.sh": "cat > /dev/null"])
    try await runner.database.script("CREATE TABLE t (id int); CREATE TABLE other (id int)")
    #expect(try await runner.run(["migrate"]).exit == 0)
    try await runner.database.script("ALTER TABLE t RENAME TO renamed; INSERT INTO renamed VALUES (1)")

    let served = try await runner.start(migrates: migrates)
    try await runner.database.script("INSERT INTO other VALUES (1)")
    try await runner.wait(until: done("g"))

    let sentence = "There is no table public.t, which functions.json names for f."
    #expect(served.program.lines.contains { $0.contains("The function is held") && $0.contains(sentence) })
    let ready = try await served.request("/_/ready")
    #expect(ready.status == 200)
    #expect(ready.json?["ready"] == RawJSON(true))
    #expect(ready.json?["degraded"]?.elements?.map(\.stringValue) == ["f"])
    let paused = try await served.request("/_/state").json?["functions"]?.elements?
      .map { $0["paused"]?["message"]?.stringValue }
    #expect(paused == [sentence, nil])
    let doctor = try await runner.run(["doctor", "--json"])
    #expect(doctor.stdout.contains(sentence) && doctor.stdout.contains("f: SCHEMA_CHANGED"))
    #expect(try await runner.database.query("SELECT FROM runner.events WHERE function = 'f'").count == 1)

    try await runner.database.script("ALTER TABLE renamed RENAME TO t")
    try await runner.wait(until: done("f"))
    let mended = try await served.request("/_/ready")
    #expect(mended.json?["degraded"] == nil)
  }
}
