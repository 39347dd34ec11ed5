import FoundationEssentials
import FunctionKit
import Postgres

/// How far a fan-out has come that takes more than one transaction.
struct Progress: Codable {
  let after: Audience.Place
  let result: NotificationResult
}

/// What `handled_events` says about an event.
enum Handling {
  /// It has its result.
  case done(NotificationResult)
  /// It is to be begun, or gone on with.
  case open(Progress?)
}

extension Occurrence {
  /// Whether a row of `notifications` comes from this event.
  func caused(_ table: String) -> SQL {
    let row = SQL(unescaped: table)
    return """
      ((\(row).function, \(row).source, \(row).source_event_id) IS NOT DISTINCT FROM (\(function), \(source), \(id)))
      """
  }

  /// Whether a row of `decisions` comes from this event.
  func decided(_ table: String) -> SQL {
    let row = SQL(unescaped: table)
    return "\(row).function = \(function) AND \(row).source = \(source) AND \(row).event_id = \(id)"
  }

  private var isThis: SQL { "function = \(function) AND source = \(source) AND event_id = \(id)" }

  /// Whether an earlier invocation has had an effect.
  func wasApplied(_ transaction: Transaction) async throws -> Bool {
    try await !transaction.query("SELECT FROM handled_events WHERE \(isThis)").isEmpty
  }

  /// Takes the event for this transaction.
  ///
  /// Whoever handles the same event at the same time waits here until the other's transaction ends, and then finds
  /// what it recorded.
  func take(_ transaction: Transaction) async throws -> Handling {
    let rows = try await transaction.pipeline([
      """
      INSERT INTO handled_events (function, source, event_id, created_at)
      VALUES (\(function), \(source), \(id), \(now)) ON CONFLICT DO NOTHING
      """,
      "SELECT result, progress FROM handled_events WHERE \(isThis) FOR UPDATE",
    ])
    let row = try rows[1].only()
    if let result = row["result"] { return .done(try Self.decode(result)) }
    return .open(try row["progress"].map(Self.decode))
  }

  /// Records the result, after which the event is done.
  func finish(_ result: NotificationResult) throws -> SQL {
    "UPDATE handled_events SET result = \(try Self.encode(result)), progress = NULL WHERE \(isThis)"
  }

  /// Records how far the fan-out has come.
  func save(_ progress: Progress) throws -> SQL {
    "UPDATE handled_events SET progress = \(try Self.encode(progress)) WHERE \(isThis)"
  }

  /// Finds the result that ``record(_:)`` recorded.
  var recorded: SQL { "SELECT result FROM handled_events WHERE \(isThis)" }

  /// Reads what ``recorded`` found; `nil` where there is nothing.
  func settlement(_ rows: Rows) throws -> Settlement? { try rows.first?["result"].map(Self.decode) }

  /// Records the result of an event that is handled in one transaction, in that transaction.
  func record(_ result: Settlement) throws -> SQL {
    """
    INSERT INTO handled_events (function, source, event_id, result, created_at)
    VALUES (\(function), \(source), \(id), \(try Self.encode(result)), \(now))
    """
  }

  private static func encode(_ value: some Encodable) throws -> String {
    String(decoding: try JSONCoding.encode(value).bytes, as: UTF8.self)
  }

  private static func decode<Value: Decodable>(_ text: String) throws -> Value {
    try JSONCoding.decode(Value.self, from: RawJSON(validating: Array(text.utf8)[...]))
  }
}
