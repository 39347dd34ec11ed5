import CLI
import Capture
import Documents
import FunctionKit
import Inspection
import Manifest
import Postgres

extension DoctorCommand {
  /// Whether the database has what this runner and this `functions.json` need, and what waits in it.
  func schema(_ database: Connection) async throws -> [Finding] {
    let state: SchemaState
    do {
      state = try await SchemaState(
        of: database, await SchemaMigration.all(of: project.manifest), isOwn: project.hasOwnDatabase)
    } catch let error as FunctionError where error.code == .notPermitted {
      return try await rights(database).findings
    }
    if let problem = state.unrecorded ?? state.development { return [.missing("schema", problem)] }
    let unfit =
      try await Unfitness.lines(of: project.manifest, in: database).map { Finding.missing("table", $0) }
      + Unfitness.warnings(of: project.manifest, in: database).map { Finding.warning("table", $0) }
    guard state.isBegun else {
      return try await [.missing("schema", "not there: runner migrate")] + unfit + people(database)
    }
    var findings = [Self.schema(state)] + unfit
    guard state.pending.isEmpty, state.breaking.isEmpty else { return findings }
    let rights = try await rights(database)
    findings += rights.findings
    guard rights.areEnough else { return findings }
    findings += try await shape(database)
    findings += try await OpenTables.lines(of: project.manifest, in: database).map { .warning("table", $0) }
    findings += try await people(database)
    if let line = try await database.keptPeople(project.manifest) { findings.append(.warning("people", line)) }
    findings += try await LostTrigger.all(in: database).map { .missing("trigger", "\($0.sentence) runner migrate") }
    findings += try await triggers(database)
    findings.append(try await events(database))
    findings += try await deadLetters(database)
    findings += try await Overdue.all(in: database).map { .warning("overdue", $0.sentence) }
    findings += try await database.outages(project.manifest).map { .warning("outage", $0) }
    findings += try await unserved(database)
    findings += try await idle(database)
    findings += try await Leftovers(manifest: project.manifest, database: database).lines().map {
      Finding.warning("events", $0)
    }
    return findings
  }

  private static func schema(_ state: SchemaState) -> Finding {
    if !state.breaking.isEmpty {
      let names = state.breaking.joined(separator: ", ")
      return .missing("schema", "of a later version (\(names)), with which this one must not run")
    }
    if !state.pending.isEmpty {
      return .missing("schema", "\(state.pending.count) migrations to run: runner migrate")
    }
    return state.note.map { .warning("schema", $0) } ?? .ok("schema", "up to date")
  }

  /// The faults of the place where functions look for people.
  private func people(_ database: Connection) async throws -> [Finding] {
    guard let line = try await PeopleElsewhere.line(of: project.manifest, in: database) else { return [] }
    return [line.isRefused ? .missing("people", line.sentence) : .warning("people", line.sentence)]
  }

  private func shape(_ database: Connection) async throws -> [Finding] {
    let differences = try await ShapeDifferences(from: project.manifest, in: database)
    let (lines, costs) = (try await differences.lines(), try await differences.costs())
    return (lines.isEmpty ? [.ok("tables", "as the functions need them")] : lines.map { .missing("table", $0) })
      + costs.map { .warning("table", $0) }
  }

  private func triggers(_ database: Connection) async throws -> [Finding] {
    let plan: TriggerPlan
    do {
      plan = try await TriggerPlan(project.manifest, on: database, prunes: false, holds: true)
    } catch let error as MigrationError {
      return [.missing("triggers", error.description)]
    }
    var findings = plan.misfits.sorted { $0.key < $1.key }.map { function, problem in
      Finding.missing("table", "\(problem) A runner that starts holds \(function) and runs all others")
    }
    findings += plan.needs.map { Finding.missing("trigger", "\($0) runner migrate") }
    findings += plan.notes.map { Finding.warning("trigger", $0) }
    findings += try await CaptureGaps.lines(of: project.manifest, on: database).map { .warning("trigger", $0) }
    if plan.needs.isEmpty, !plan.isEmpty {
      findings.append(
        .warning("triggers", "tables have changed since they were made: runner migrate"))
    }
    return findings.isEmpty
      ? [.ok("triggers", "\(plan.count), as functions.json asks")] : findings
  }

  /// Waiting events of functions that no living runner has.
  private func unserved(_ database: Connection) async throws(PostgresError) -> [Finding] {
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
      return .warning("events", "\(waiting) waiting for \(function), which no living runner has")
    }
  }

  /// Runners for which there is no partition.
  private func idle(_ database: Connection) async throws(PostgresError) -> [Finding] {
    let shortage = try await PartitionNumber(of: database).shortage(project.manifest.functions.map(\.name))
    return shortage.map { [.warning("runners", $0)] } ?? []
  }

  private func events(_ database: Connection) async throws(PostgresError) -> Finding {
    let counts = try await database.query(
      """
      SELECT (SELECT count(*) FROM runner.events) AS waiting, (SELECT count(*) FROM runner.retries) AS retries,
        (SELECT count(*) FROM runner.dead_letters) AS dead
      """
    ).only()
    let (waiting, retries, dead) = (counts["waiting"] ?? "", counts["retries"] ?? "", counts["dead"] ?? "")
    return .ok("events", "\(waiting) waiting, \(retries) to be retried, \(dead) dead letters")
  }

  /// Why events were given up, the latest reasons first: nobody is told of them until somebody does something.
  private func deadLetters(_ database: Connection) async throws(PostgresError) -> [Finding] {
    let most = 10
    let rows = try await database.query(
      """
      SELECT function, code, error, count(*) AS number, count(*) OVER () AS reasons FROM runner.dead_letters
      GROUP BY function, code, error ORDER BY max(died_at) DESC, function, error LIMIT \(most)
      """)
    let findings = try rows.map { row throws(PostgresError) -> Finding in
      let (function, number): (String, Int) = (try row.decode("function"), try row.decode("number"))
      let reason = (row["error"] ?? "").firstLine
      return .warning("dead", "\(number) of \(function): \(row["code"] ?? ""): \(reason)")
    }
    guard let reasons: Int = try rows.first?.decode("reasons") else { return [] }
    let rest = reasons > most ? "\(reasons - most) more reasons; " : ""
    return findings + [.warning("dead", "\(rest)see runner events dead; then runner events retry, or purge")]
  }
}
