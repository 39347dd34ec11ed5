import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive
import TestSupport

@testable import UnreadCheck

/// Grace, who has written a feedback, others who vote for it, and a function that gets what she does not read.
struct UnreadScene {
  static let noon = RFC3339.date("2026-06-15T12:00:00Z") ?? .distantPast
  /// When a vote of noon has stayed unread for long enough.
  static let due = noon + 1_800

  let policy: DeliveryPolicyScene
  private let rules: [UnreadRule]

  /// - Parameter rules: what `functions.json` says, as functions get it.
  init(
    _ rules: String = #"[{"app":"feedbackkit","kind":"new_vote","after":1800,"function":"tell"}]"#
  ) async throws {
    policy = try await DeliveryPolicyScene()
    self.rules = try UnreadRule.all(Environment([UnreadRule.variable: rules]))
    try await setDatabaseClock(to: Self.noon + 100 * 86_400)
    _ = try await check(at: Self.noon - 1)
  }

  var connection: Connection { policy.demo.connection }

  /// Decides about what is due, as the function does.
  @discardableResult
  func check(at time: Date, dryRun: Bool = false) async throws -> UnreadStore.Result {
    try await check(rules, at: time, dryRun: dryRun)
  }

  private func check(_ rules: [UnreadRule], at time: Date, dryRun: Bool = false) async throws -> UnreadStore.Result {
    let connection = policy.demo.connection(of: "check", [("jit", "off")])
    let event = #"{"specversion":"1.0","id":"n","source":"/test","type":"dev.push-functions.notify","data":{}}"#
    let envelope = try Envelope(RawJSON(validating: Array(event.utf8)[...]))
    let context = Context(function: UnreadCheck.name, dryRun: dryRun, now: time, log: Log { _ in })
    return try await UnreadCheck(store: UnreadStore(connection, rules: rules))
      .handle(Event(envelope: envelope, data: envelope.data), context)
  }

  /// The same by a runner with other rules.
  @discardableResult
  func check(following rules: String, at time: Date = noon) async throws -> UnreadStore.Result {
    try await check(try UnreadRule.all(Environment([UnreadRule.variable: rules])), at: time)
  }

  /// The database's clock stands still; at first it shows a time after all others.
  func setDatabaseClock(to time: Date) async throws {
    try await connection.script(
      """
      CREATE OR REPLACE FUNCTION push_now() RETURNS timestamptz LANGUAGE sql STABLE
      AS $$ SELECT timestamptz '\(RFC3339.string(time))' $$
      """)
  }

  /// The notifications that functions got.
  func given() async throws -> [String] {
    try await connection.query(
      """
      SELECT concat_ws('|', function, app, email, type, title, body, link, language) AS line FROM unread_notifications
      ORDER BY notified_at, notification_id
      """
    ).decode("line")
  }

  /// Why a function did not get something, or why it waits: the words of the database, in the order of the notifications.
  func reasons() async throws -> [String] {
    try await connection.query(
      """
      SELECT coalesce(c.reason, '') AS reason FROM unread_checks c JOIN notifications n ON n.id = c.notification_id
      ORDER BY n.created_at, n.id
      """
    ).decode("reason")
  }

  /// Changes something, and says that the change was there to make.
  func change(_ statement: SQL) async throws {
    let rows = try await connection.query(statement)
    guard rows.affectedRows > 0 else { throw NothingChanged() }
  }

  struct NothingChanged: Error {}
}
