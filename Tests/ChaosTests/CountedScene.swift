import Foundation
import Postgres
import TestSupport

@testable import Capture
@testable import Chaos
@testable import Manifest

/// A made-up database where all was handled: two letters, a card, an entry for one person and a vote for another's
/// feedback.
struct CountedScene: Sendable {
  /// A line of a function's file.
  struct Effect {
    var function: String
    var event: String
    var number: Int
    var attempt = 0
    var at: Double
  }

  /// A line of the emulator's journal.
  struct Push {
    var seq: Int
    var token: String
    var collapse: String
    var notification: UUID?
    var kind = "device_assigned"
    var feedback: UUID?
    var badge = 1

    var line: String {
      guard let notification else {
        return """
          {"seq":\(seq),"token":"\(token)","collapseID":"badge","receivedAt":"2026-01-01T00:00:00Z","taken":true,\
          "payload":{"aps":{"badge":\(badge)}}}

          """
      }
      let about = feedback.map { #","feedbackId":"\#($0)""# } ?? ""
      return """
        {"seq":\(seq),"token":"\(token)","collapseID":"\(collapse)","receivedAt":"2026-01-01T00:00:00Z","taken":true,\
        "payload":{"aps":{"alert":{"title":"T"},"badge":\(badge)},"type":"\(kind)","notificationId":"\(notification)"\
        \(about)}}

        """
    }
  }

  /// Everything that a recount reads besides the database.
  struct Inputs {
    var effects: [Effect]
    var pushes: [Push]
    var faults: [Outage] = []
    /// When everything was committed.
    let now: Double
  }

  static let shared = Task.detached { try await CountedScene() }

  private let cluster: PrivateCluster
  private let inputs: Inputs

  private static let entry = UUID()
  private static let notice = UUID()
  private static let feedback = "c0000000-0000-4000-8000-000000000001"

  init() async throws {
    cluster = try await PrivateCluster(settings: "track_commit_timestamp = on")
    let database = Connection(url: cluster.url(), applicationName: "test")
    _ = try await Migrator(database: database)
      .migrate(
        Manifest(text: Array(Schema.manifest(#"{"functions":{}}"#).utf8), file: "functions.json", directory: "/"))
    try await database.script([Scripts.tables, Scripts.people].joined(separator: "\n"))
    try await database.script(
      "INSERT INTO letters (number, key, writer, way) VALUES (1, 'a', 'w', 'single'), (2, 'b', 'w', 'single')")
    // Person 1 has an entry of an app's own; feedback 1 is person 2's.
    try await database.script(
      """
      INSERT INTO cards (number, key, writer, way, began) VALUES (3, 'a', 'w', 'single', now() + interval '2 s');
      INSERT INTO notifications (id, user_id, app, type, title)
      VALUES ('\(Self.entry)', 'a0000000-0000-4000-8000-000000000001', 'repairminder', 'device_assigned', 'T');
      INSERT INTO chaos_posts
      VALUES (4, 'notification', '\(Self.entry)', 'a0000000-0000-4000-8000-000000000001');
      INSERT INTO notifications (id, user_id, app, type, title, origin, feedback_id)
      VALUES ('\(Self.notice)', 'a0000000-0000-4000-8000-000000000002', 'feedbackkit', 'new_vote', 'T', 'function',
        '\(Self.feedback)');
      INSERT INTO chaos_posts VALUES (5, 'vote', gen_random_uuid(), 'a0000000-0000-4000-8000-000000000002',
        '\(Self.feedback)')
      """)
    // Only person 1's Repair Minder and person 2's FeedbackKit are to show something.
    let tokens = try await database.query(
      """
      SELECT token FROM device_tokens
      WHERE (app, user_id) IN (('repairminder', 'a0000000-0000-4000-8000-000000000001'),
        ('feedbackkit', 'a0000000-0000-4000-8000-000000000002')) ORDER BY app DESC, token
      """
    ).decode("token", as: String.self)
    let now = try await database.query("SELECT extract(epoch FROM clock_timestamp())::float8 AS now").only()
      .decode("now", as: Double.self)
    let heard = [
      ("pass", 1), ("block", 1), ("pass", 2), ("block", 2), ("block", 3), ("together", 1), ("remote", 1), ("remote", 2),
      ("together", 2),
    ]
    let effects = heard.map { Effect(function: $0, event: "\($0).\($1)", number: $1, at: now) }
    let pushes = tokens.enumerated().map { index, token in
      index < 2
        ? Push(seq: index + 1, token: token, collapse: "c\(index)", notification: Self.entry)
        : Push(
          seq: index + 1, token: token, collapse: "c\(index)", notification: Self.notice, kind: "new_vote",
          feedback: UUID(uuidString: Self.feedback))
    }
    inputs = Inputs(effects: effects, pushes: pushes, now: now)
    await database.close()
  }

  /// Changes the database; not that of ``shared``.
  func change(_ statements: String) async throws {
    let database = Connection(url: cluster.url(), applicationName: "test")
    try await database.script(statements)
    await database.close()
  }

  /// Counts again after something was made wrong.
  func recount(_ change: @Sendable (inout Inputs) -> Void) async throws -> Recount {
    var inputs = inputs
    change(&inputs)
    let keys = [1: "a", 2: "b", 3: "a"]
    let effects = inputs.effects.map {
      "\($0.function) \($0.event) \(keys[$0.number] ?? "c") \($0.number) \($0.attempt) \($0.at)\n"
    }
    return try await Recount(
      cluster.url(), effects: effects.joined(), pushes: inputs.pushes.map(\.line).joined(), faults: inputs.faults)
  }
}
