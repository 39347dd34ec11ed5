package import Documents
import Manifest
package import Postgres

// Finds the newest events without reading all that the history has.
extension EventCatalogue {
  /// The newest events, and whether everything was looked through for them.
  package struct Newest: Sendable, Equatable {
    package var events: [EventSummary] = []
    /// `false` if there may be older ones that match.
    package var isWhole = true

    package init(events: [EventSummary] = []) {
      self.events = events
    }
  }

  /// The most pages of the history that are looked through.
  private static let mostPages = 20_000
  private static let firstPages = 128

  /// The newest of the matching events.
  ///
  /// Rows are only ever added to the history, so the newest are in the last pages of its newest day.
  package func newest(
    _ filter: EventFilter, states: [EventSummary.State], count: Int
  ) async throws(PostgresError) -> Newest {
    let (queued, ended) = (states.filter { !$0.isEnded }, states.filter(\.isEnded))
    let branches = queued.map { state in
      let part: SQL? = [.waiting, .running].contains(state) ? Self.lastOfPartitions(filter, count) : nil
      return "(\(select(state, filter, from: part)) ORDER BY e.at DESC LIMIT \(count))" as SQL
    }
    var newest = Newest(events: try await read(branches, count))
    guard !ended.isEmpty else { return newest }
    let (older, isWhole) = try await newestEnded(filter, ended, count)
    newest.events = Array((newest.events + older).sorted { $0.at > $1.at }.prefix(count))
    newest.isWhole = isWhole || newest.events.count == count
    return newest
  }

  // A role that was let in may read the history, and none of its days' tables: so a day is named by its times, for
  // which PostgreSQL reads no other one.
  private func newestEnded(
    _ filter: EventFilter, _ states: [EventSummary.State], _ count: Int
  ) async throws(PostgresError) -> (events: [EventSummary], isWhole: Bool) {
    let days = try await database.query(
      """
      SELECT pg_relation_size(c.oid) / current_setting('block_size')::bigint AS pages,
        CASE WHEN d.day IS NULL THEN format('e.tableoid = %s', c.oid)
          ELSE format('e.recorded_at >= ''%s 00:00Z'' AND e.recorded_at < ''%s 00:00Z''', d.day, d.day + 1) END AS place
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid CROSS JOIN LATERAL (
        SELECT CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END) AS d (day)
      WHERE i.inhparent = 'runner.history'::regclass ORDER BY c.relname DESC
      """)
    var (found, looked): ([EventSummary], Int) = ([], 0)
    for day in days {
      let (place, pages): (String, Int) = (try day.decode("place"), try day.decode("pages"))
      var (end, size) = (pages, Self.firstPages)
      while end > 0 {
        guard looked < Self.mostPages else { return (found, false) }
        let begin = max(0, end - size)
        let range = SQL(unescaped: "\(place) AND e.ctid >= '(\(begin),0)'::tid AND e.ctid < '(\(end),0)'::tid")
        let branches = states.map { state in
          "(\(select(state, filter, from: nil, also: range)) ORDER BY e.at DESC LIMIT \(count))" as SQL
        }
        found += try await read(branches, count)
        if found.count >= count { return (found, true) }
        looked += end - begin
        (end, size) = (begin, size * 8)
      }
    }
    return (found, true)
  }

  /// The last events of each partition, as its index has them.
  private static func lastOfPartitions(_ filter: EventFilter, _ count: Int) -> SQL {
    """
    (SELECT l.* FROM generate_series(0, 255) AS p(number), LATERAL (
      SELECT * FROM runner.events AS e WHERE e.partition = p.number AND \(filter.condition(of: .waiting))
      ORDER BY e.id DESC LIMIT \(count)) AS l)
    """
  }

  private func read(_ branches: [SQL], _ count: Int) async throws(PostgresError) -> [EventSummary] {
    guard let first = branches.first else { return [] }
    let all = branches.dropFirst().reduce(first) { $0 + " UNION ALL " + $1 }
    return try await database.query("SELECT * FROM (\(all)) AS f ORDER BY f.at DESC, f.id DESC LIMIT \(count)")
      .map { row throws(PostgresError) in try EventSummary(row) }
  }

  private func select(
    _ state: EventSummary.State, _ filter: EventFilter, from part: SQL?, also condition: SQL = "true"
  ) -> SQL {
    EventSummary.select(
      state, where: filter.condition(of: state) + " AND " + condition,
      hidingKeysOf: manifest.functions.filter(\.hidesKey).map(\.name), from: part)
  }
}
