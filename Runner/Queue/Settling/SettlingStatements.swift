import Capture
import FunctionKit
import Manifest
import Postgres

extension EventStore {
  /// The statements that move or delete the rows of events that have ended and write down how, one for each way.
  ///
  /// - Parameter session: the session of the database that carries them out, where that is known. Of events that were read
  ///   in another one, only those rows are touched that are certainly theirs.
  func settlements(_ ended: [EndedAttempt], in session: Int?) -> [SQL] {
    let known = ended.filter { $0.session == session }
    if known.count == ended.count { return settlements(known, isChecked: false) }
    return settlements(known, isChecked: false)
      + settlements(ended.filter { $0.session != session }, isChecked: true)
  }

  private func settlements(_ ended: [EndedAttempt], isChecked: Bool) -> [SQL] {
    var statements: [SQL] = []
    let first = ended.filter { $0.isPlainSuccess }
    if !first.isEmpty { statements.append(successes(first, isChecked)) }
    let others = first.count == ended.count ? [] : ended.filter { !$0.isPlainSuccess }
    for table in QueuedEvent.Place.Table.allCases {
      let here = others.filter { $0.place.table == table }
      let done = here.filter(\.isDone)
      let retries = here.filter { if case .retry = $0.settlement { true } else { false } }
      let dead = here.filter { if case .deadLetter = $0.settlement { true } else { false } }
      func settle(_ ended: [EndedAttempt], _ change: SQL? = nil, into target: SQL = "") {
        guard !ended.isEmpty else { return }
        statements.append(self.settle(ended, change ?? removal(of: ended, table, isChecked), into: target, isChecked))
      }
      settle(done, into: kept(from: "gone"))
      if table == .events { settle(retries, into: Self.retry) } else { settle(retries, Self.postponement) }
      settle(dead, into: Self.burial)
    }
    return statements
  }

  /// What nearly all events are: done at the first attempt.
  ///
  /// Ids that follow each other are looked up together, at half the cost for the database.
  private func successes(_ ended: [EndedAttempt], _ isChecked: Bool) -> SQL {
    """
    WITH gone AS MATERIALIZED (SELECT (event).*, duration_us FROM \(removed(ended, isChecked)))\(kept(from: "gone"))
    INSERT INTO runner.history (recorded_at, \(unescaped: Self.historyColumns))
    SELECT (SELECT clock_timestamp()), (SELECT runner.now()), partition, id, event_id, function, key, \
    \(QueuedEvent.kind), at, 0, 'OK', 0, duration_us, NULL
    FROM gone
    """
  }

  /// Any other end: what is done with the row, where it goes, and what is written down.
  private func settle(
    _ ended: [EndedAttempt], _ change: SQL, into target: SQL, _ isChecked: Bool
  ) -> SQL {
    let rows: SQL = .rows(
      "f",
      [
        "partition": "\(ended.map(\.place.partition))::smallint[]", "id": "\(ended.map(\.place.id))::bigint[]",
        "attempts": "\(ended.map(\.attempt))::integer[]", "next": "\(ended.map(\.nextAttempt))::integer[]",
        "crashes": "\(ended.map(\.crashes))::integer[]", "progress": "\(ended.map(\.progress))::bigint[]",
        "counted_from": "\(ended.map(\.countedFrom))::integer[]", "delay": "\(ended.map(\.delay))::float8[]",
        "code": "\(ended.map(\.code))::text[]", "exit_status": "\(ended.map(\.exitStatus))::smallint[]",
        "duration_us": "\(ended.map(\.microseconds))::bigint[]", "error": "\(ended.map(\.error))::text[]",
        "written": "\(ended.map { isChecked ? $0.writtenAt : "infinity" })::timestamptz[]",
      ])
    return """
      WITH f AS (
        SELECT * FROM \(rows)
      ), gone AS (
        \(change)
      )\(target)
      INSERT INTO runner.history (\(unescaped: Self.historyColumns))
      SELECT (SELECT runner.now()), partition, id, event_id, function, key, \(QueuedEvent.kind), at, attempts, code,
        exit_status, duration_us, error
      FROM gone
      """
  }

  /// The rows, taken out of their table, and how they have ended.
  private func removal(of ended: [EndedAttempt], _ table: QueuedEvent.Place.Table, _ isChecked: Bool) -> SQL {
    switch table {
    case .events:
      """
      SELECT \(Self.settled)
      FROM (SELECT (event).* FROM \(removed(ended, isChecked))) AS e JOIN f ON f.partition = e.partition AND f.id = e.id
      """
    case .retries:
      """
      DELETE FROM runner.retries AS e USING f WHERE e.partition = f.partition AND e.id = f.id AND e.at <= f.written
      RETURNING \(Self.settled)
      """
    }
  }

  private func removed(_ ended: [EndedAttempt], _ isChecked: Bool) -> SQL {
    let ended = ended.sorted { ($0.place.partition, $0.place.id) < ($1.place.partition, $1.place.id) }
    let ranges = IDRange.covering(ended.map(\.place))
    let written: SQL = isChecked ? "\(ended.map(\.writtenAt))::timestamptz[], " : ""
    return """
      runner.remove(\(ranges.map(\.partition))::smallint[], \(ranges.map(\.low))::bigint[], \(ranges.map(\.high))::bigint[], \
      \(ranges.map(\.position))::integer[], \(written)\(ended.map(\.microseconds))::bigint[])
      """
  }

  private static let settled = SQL(
    unescaped: (CaptureSQL.eventColumns.map { "e.\($0)" } + [
      "f.attempts", "f.next", "f.crashes", "f.progress", "f.counted_from", "f.delay", "f.code", "f.exit_status",
      "f.duration_us", "f.error",
    ]).joined(separator: ", "))

  private static let postponement: SQL = """
    UPDATE runner.retries AS e SET attempt = f.next, crashes = f.crashes, progress = f.progress,
      counted_from = f.counted_from,
      run_at = runner.now() + f.delay * interval '1 second', noted_at = runner.now(), code = f.code, error = f.error
    FROM f WHERE e.partition = f.partition AND e.id = f.id AND e.at <= f.written
    RETURNING \(settled)
    """

  private static let retry: SQL = """
    , moved AS (
      INSERT INTO runner.retries (\(CaptureSQL.columns), attempt, crashes, progress, counted_from,
        run_at, code, error)
      SELECT \(CaptureSQL.columns), next, crashes, progress, counted_from,
        runner.now() + delay * interval '1 second', code, error
      FROM gone
    )
    """

  private static let burial: SQL = """
    , moved AS (
      INSERT INTO runner.dead_letters (\(CaptureSQL.columns), attempts, crashes, code, error)
      SELECT \(CaptureSQL.columns), attempts + 1, crashes, code, error FROM gone
    )
    """

  /// Keeps the whole events, where that is wanted.
  private func kept(from source: SQL) -> SQL {
    guard history.keepsPayloads else { return "" }
    return """
      , kept AS (
        INSERT INTO runner.payloads (\(CaptureSQL.columns))
        SELECT \(CaptureSQL.columns) FROM \(source)
      )
      """
  }

  private static let historyColumns = """
    ended_at, partition, id, event_id, function, key, kind, at, attempt, code, exit_status, duration_us, error
    """
}

extension EndedAttempt {
  fileprivate var isPlainSuccess: Bool { isDone && place.table == .events }

  fileprivate var delay: Double {
    if case .retry(let delay) = settlement { delay } else { 0 }
  }
}
