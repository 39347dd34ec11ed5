import CLI
import FoundationEssentials
import FunctionKit
import Manifest
import Postgres

/// Reads what functions have recorded of their work, through the SQL function that `functions.json` names.
struct Journal {
  /// One row.
  struct Line {
    let time: Date
    let document: RawJSON
    /// The sentence for a person.
    let text: String
  }

  private let database: Connection
  private let function: JournalFunction?
  private let withMinor: Bool
  private var since: Date

  /// - Parameter withMinor: whether minor lines are wanted, too.
  init(
    _ database: Connection, _ function: JournalFunction?, after since: Date, withMinor: Bool
  ) async throws(PostgresError) {
    (self.database, self.since, self.withMinor) = (database, since, withMinor)
    guard let function else {
      self.function = nil
      return
    }
    let signature = "\(function.name)(timestamptz, timestamptz)"
    let isThere = try await database.query("SELECT to_regprocedure(\(signature)) IS NOT NULL AS here").only()
    self.function = try isThere.decode("here") ? function : nil
  }

  /// The lines since the last call, up to an instant until which everything is done.
  mutating func next(through now: Date) async throws -> [Line] {
    guard let function, now > since else { return [] }
    let rows = try await database.query(
      """
      SELECT time, function, line, jsonb_strip_nulls(to_jsonb(j) - 'time' - 'minor') AS rest
      FROM \(unescaped: function.name)(\(since), \(now)) AS j WHERE \(withMinor) OR NOT minor ORDER BY time, line
      """)
    since = now
    return try rows.map { row in
      let (time, function): (Date, String) = (try row.decode("time"), try row.decode("function"))
      let (line, rest): (String, String) = (try row.decode("line"), try row.decode("rest"))
      let members =
        [("time", try JSONCoding.encode(time))]
        + (try RawJSON(validating: Array(rest.utf8)[...]).members.map { ($0.name, $0.value) })
      return Line(
        time: time, document: RawJSON(object: members), text: "\(TimeText.of(time))  \(function)  \(line)")
    }
  }
}
