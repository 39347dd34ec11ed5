import Documents
import FoundationEssentials
import Postgres

extension ReportStore {
  /// The events that functions have decided about last, the newest first.
  func latest(_ count: Int, of function: String?) async throws -> RecentDocument {
    try await read { transaction in
      let filter: SQL = function.map { "AND h.function = \($0)" } ?? ""
      let rows = try await transaction.query(
        """
        SELECT h.function, h.source, h.event_id, h.created_at, c.decision, c.reason, c.people
        FROM (
          SELECT h.* FROM handled_events h
          WHERE h.source NOT LIKE 'row %' \(filter) AND EXISTS (
            SELECT FROM decisions d
            WHERE d.function = h.function AND d.source = h.source AND d.event_id = h.event_id)
          ORDER BY h.created_at DESC, h.function, h.source, h.event_id LIMIT \(count)
        ) h CROSS JOIN LATERAL (
          SELECT d.decision, d.reason, count(*) AS people FROM decisions d
          WHERE d.function = h.function AND d.source = h.source AND d.event_id = h.event_id
          GROUP BY d.decision, d.reason
        ) c
        ORDER BY h.created_at DESC, h.function, h.source, h.event_id, c.people DESC, c.decision, c.reason
        """)
      var events: [RecentDocument.Handled] = []
      for row in rows {
        let key = (row["function"] ?? "", row["source"] ?? "", row["event_id"] ?? "")
        let count = DecisionCount(try row.decode("decision"), because: row["reason"], try row.decode("people"))
        if let last = events.last, (last.function, last.source, last.event) == key {
          events[events.count - 1].counts.append(count)
        } else {
          events.append(
            RecentDocument.Handled(
              event: key.2, function: key.0, source: key.1, at: try row.decode("created_at"), counts: [count]))
        }
      }
      return RecentDocument(events: events)
    }
  }
}
