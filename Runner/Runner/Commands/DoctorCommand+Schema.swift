import Capture
import FunctionKit
import Manifest
import Postgres

extension DoctorCommand {
  /// Whether the database is as this version of the runner and this `functions.json` need it, and what waits in it.
  func schema(_ database: Connection) async throws -> [DoctorFinding] {
    let state = try await SchemaState(of: database)
    guard state.isBegun else {
      return [DoctorFinding(check: "schema", ok: false, detail: "not there: runner migrate")]
    }
    var findings = [Self.schema(state)]
    guard state.pending.isEmpty, state.breaking.isEmpty else { return findings }
    if let rights = try await MissingRights(on: database) {
      return findings + [DoctorFinding(check: "rights", ok: false, detail: rights.error.message)]
    }
    findings += try await shape(database)
    findings += try await triggers(database)
    findings.append(try await events(database))
    findings += try await unserved(database)
    findings += try await Leftovers(manifest: project.manifest, database: database).lines().map {
      DoctorFinding(check: "events", ok: true, warning: true, detail: $0)
    }
    return findings
  }

  private static func schema(_ state: SchemaState) -> DoctorFinding {
    if !state.breaking.isEmpty {
      let names = state.breaking.joined(separator: ", ")
      return DoctorFinding(
        check: "schema", ok: false, detail: "of a later version (\(names)), beside which this one must not go on")
    }
    if !state.pending.isEmpty {
      return DoctorFinding(
        check: "schema", ok: false, detail: "\(state.pending.count) migrations to run: runner migrate")
    }
    return DoctorFinding(
      check: "schema", ok: true, warning: state.note != nil, detail: state.note ?? "up to date")
  }

  private func shape(_ database: Connection) async throws(PostgresError) -> [DoctorFinding] {
    let lines = try await ShapeDifferences(database: database).lines()
    guard !lines.isEmpty else {
      return [DoctorFinding(check: "tables", ok: true, detail: "as the functions need them")]
    }
    return lines.map { DoctorFinding(check: "table", ok: false, detail: $0) }
  }

  private func triggers(_ database: Connection) async throws -> [DoctorFinding] {
    let plan: TriggerPlan
    do { plan = try await TriggerPlan(project.manifest, on: database, prunes: false) } catch let error as MigrationError
    {
      return [DoctorFinding(check: "triggers", ok: false, detail: error.description)]
    }
    var findings = plan.needs.map { DoctorFinding(check: "trigger", ok: false, detail: "\($0) runner migrate") }
    findings += plan.notes.map { DoctorFinding(check: "trigger", ok: true, warning: true, detail: $0) }
    if plan.needs.isEmpty, !plan.isEmpty {
      findings.append(
        DoctorFinding(
          check: "triggers", ok: true, warning: true, detail: "tables have changed since they were made: runner migrate"
        ))
    }
    return findings.isEmpty
      ? [DoctorFinding(check: "triggers", ok: true, detail: "\(plan.count), as functions.json asks")] : findings
  }

  /// Events of functions that none of the runners which live has.
  private func unserved(_ database: Connection) async throws(PostgresError) -> [DoctorFinding] {
    let rows = try await database.query(
      """
      WITH living AS (SELECT functions FROM runner.runners WHERE expires_at > clock_timestamp())
      SELECT e.function, count(*) AS waiting
      FROM (SELECT function FROM runner.events UNION ALL SELECT function FROM runner.retries) AS e
      WHERE e.function = ANY (\(project.manifest.functions.map(\.name))) AND EXISTS (SELECT FROM living)
        AND NOT EXISTS (SELECT FROM living WHERE functions IS NULL OR e.function = ANY (functions))
      GROUP BY e.function ORDER BY e.function
      """)
    return try rows.map { row throws(PostgresError) in
      let (function, waiting): (String, Int) = (try row.decode("function"), try row.decode("waiting"))
      return DoctorFinding(
        check: "events", ok: true, warning: true,
        detail: "\(waiting) waiting for \(function), which no runner has that is up")
    }
  }

  private func events(_ database: Connection) async throws(PostgresError) -> DoctorFinding {
    let counts = try await database.query(
      """
      SELECT (SELECT count(*) FROM runner.events) AS waiting, (SELECT count(*) FROM runner.retries) AS retries,
        (SELECT count(*) FROM runner.dead_letters) AS dead
      """
    ).only()
    let (waiting, retries, dead) = (counts["waiting"] ?? "", counts["retries"] ?? "", counts["dead"] ?? "")
    return DoctorFinding(
      check: "events", ok: true, detail: "\(waiting) waiting, \(retries) to be retried, \(dead) dead letters")
  }
}
