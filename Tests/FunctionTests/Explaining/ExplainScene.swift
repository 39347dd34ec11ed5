import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport

/// Scenes of the demo's people, and the program that explains them.
struct ExplainScene {
  static let person = Person.grace
  let policy: DeliveryPolicyScene

  init() async throws { policy = try await DeliveryPolicyScene() }

  var connection: Connection { policy.demo.connection }

  /// Calls `push` as the runner does.
  func run(_ words: [String], stdin: String = "") async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "push", words, stdin: stdin, environment: ["DATABASE_URL": policy.demo.url])
  }

  /// The output that it writes, which must be all that there is.
  func text(_ words: [String], stdin: String = "") async throws -> String {
    let outcome = try await run(words, stdin: stdin)
    guard outcome.exit == 0 else { throw Refusal(outcome: outcome) }
    return outcome.stdout
  }

  func json(_ words: [String], stdin: String = "") async throws -> RawJSON {
    try RawJSON(validating: Array(try await text(words + ["--json"], stdin: stdin).utf8)[...])
  }

  /// The event of a vote of a scene.
  func event(_ vote: Answer) -> String { vote.result.event }

  /// A delivery that failed once and was then taken.
  func deliver(at time: Date) async throws {
    _ = try await connection.query(
      """
      WITH sent AS (
        UPDATE deliveries SET state = 'accepted', attempts = 2, accepted_at = \(time + 900) RETURNING *
      )
      INSERT INTO push_notification_logs
        (user_id, device_token_id, notification_type, status, created_at, delivery_id, attempt, http_status, reason,
          duration_ms)
      SELECT s.user_id, s.device_token_id, 'new_vote', a.status, a.time, s.id, a.number, a.http, a.reason, 41
      FROM sent s CROSS JOIN (VALUES
        (1, 'deferred', 503, 'ServiceUnavailable', \(time)::timestamptz),
        (2, 'sent', 200, NULL, \(time + 900)::timestamptz)) AS a (number, status, http, reason, time)
      """)
  }

  struct Refusal: Error {
    let outcome: BuiltExecutables.Outcome
  }
}

extension RawJSON {
  /// The first person of the first handling.
  var firstPerson: RawJSON? { self["handlings"]?.elements?.first?["people"]?.elements?.first }

  /// The gate that stopped a decision.
  var stopper: RawJSON? { self["gates"]?.elements?.first { $0["verdict"]?.stringValue == "stopped" } }
}
