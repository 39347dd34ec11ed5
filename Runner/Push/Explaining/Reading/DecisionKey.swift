import FoundationEssentials
import Postgres

/// Names one decision.
struct DecisionKey: Sendable, Equatable {
  let function: String
  let source: String
  let event: String
  let user: UUID
  let subject: String

  init(function: String, source: String, event: String, user: UUID, subject: String) {
    (self.function, self.source, self.event) = (function, source, event)
    (self.user, self.subject) = (user, subject)
  }

  /// From the columns `function, source, event_id, user_id, subject_id`.
  init(_ row: Row) throws(PostgresError) {
    self.init(
      function: row["function"] ?? "", source: row["source"] ?? "", event: row["event_id"] ?? "",
      user: try row.decode("user_id"), subject: row["subject_id"] ?? "")
  }
}

extension [DecisionKey] {
  /// A query in parentheses, whose column `number` has their order.
  var rows: SQL {
    """
    (SELECT * FROM unnest(
      \(map(\.function))::text[], \(map(\.source))::text[], \(map(\.event))::text[], \(map(\.user))::uuid[],
      \(map(\.subject))::text[]
    ) WITH ORDINALITY AS h (function, source, event_id, user_id, subject_id, number))
    """
  }
}
