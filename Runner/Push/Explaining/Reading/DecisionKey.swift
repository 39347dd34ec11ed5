import FoundationEssentials
import FunctionKit
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

/// The place of a decision among those about one person, the newest first: where a list goes on.
struct DecisionPlace: Sendable {
  /// With microseconds, as PostgreSQL writes it.
  let at: String
  let function: String
  let source: String
  let event: String
  let subject: String

  /// From the columns of a key, and the text `at`.
  init(_ row: Row) {
    (at, function, source) = (row["at"] ?? "", row["function"] ?? "", row["source"] ?? "")
    (event, subject) = (row["event_id"] ?? "", row["subject_id"] ?? "")
  }

  /// Reads ``text``.
  ///
  /// - Throws: ``FunctionError/Code/usage`` for a text that is not ``text`` of a place.
  private init(_ text: String) throws(FunctionError) {
    let parts = (try? RawJSON(validating: Array(text.utf8)[...]))?.elements?.compactMap(\.stringValue) ?? []
    let time = /\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?/
    guard parts.count == 5, parts[0].wholeMatch(of: time) != nil else {
      throw FunctionError(.usage, "--before takes the \"next\" that a list of decisions has.")
    }
    (at, function, source, event, subject) = (parts[0], parts[1], parts[2], parts[3], parts[4])
  }

  /// Reads ``text``.
  static func read(_ text: String) throws(FunctionError) -> DecisionPlace { try DecisionPlace(text) }

  /// A word of a command line.
  var text: String {
    String(decoding: RawJSON(array: [at, function, source, event, subject].map { RawJSON($0) }).bytes, as: UTF8.self)
  }
}
