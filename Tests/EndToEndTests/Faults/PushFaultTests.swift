import Foundation
import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// Pushes by the real function through an emulator that fails at random.
@Suite(.heavy)
struct PushFaultTests {
  private static let count = 10_000
  /// A share of a hundred each; each attempt draws again what it meets.
  private static let faults = [
    #"{"answer":{"status":500,"reason":"InternalServerError"},"percent":2.5,"seed":1}"#,
    #"{"answer":{"status":503,"reason":"ServiceUnavailable"},"percent":2.5,"seed":2}"#,
    #"{"answer":{"status":429,"reason":"TooManyRequests"},"percent":2,"seed":3}"#,
    #"{"answer":{"reset":"REFUSED_STREAM","taken":false},"percent":1,"seed":4}"#,
    #"{"answer":{"reset":"INTERNAL_ERROR","taken":true},"percent":1,"seed":5}"#,
    #"{"answer":{"status":503,"reason":"Shutdown"},"percent":0.8,"seed":6}"#,
    #"{"answer":{"goaway":{"skip":5}},"percent":0.1,"seed":7}"#,
    #"{"answer":"drop","percent":0.05,"seed":8}"#,
    #"{"answer":{"drop":true,"taken":false},"percent":0.05,"seed":9}"#,
    #"{"answer":"never","after":4500,"times":3}"#,
  ]

  @Test func whateverFailsEveryDeliveryEndsRightAndNoDeviceShowsAnythingTwice() async throws {
    let runner = try await RunningRunner(try Self.manifest())
    let served = try await runner.start(services: true)
    let phones = try Phones(served, project: runner.project.path)
    for fault in Self.faults { try await phones.tell("/faults", fault) }
    try await phones.tell(
      "/devices/00*", #"{"state":"unregistered","since":\#(Int(Date.now.timeIntervalSince1970) * 1_000)}"#)

    try await runner.database.script(Self.deliveries)
    try await runner.wait(within: .seconds(240), until: Self.nothingIsDue)
    let outcome = try await runner.run(
      ["clock", "run-until-idle", "--limit", "20h", "--any-local-database"], timeout: .seconds(500))

    #expect(outcome.exit == 0, "\(outcome.stderr)")
    let unregistered = "encode(sha256(n.title::bytea), 'hex') LIKE '00%'"
    let wrong = try await runner.database.query(
      """
      SELECT d.state, d.reason, count(*) AS n
      FROM deliveries AS d JOIN notifications AS n ON n.id = d.notification_id
      WHERE d.state <> CASE WHEN \(unescaped: unregistered) THEN 'rejected' ELSE 'accepted' END
      GROUP BY d.state, d.reason
      """
    ).map { "\($0["n"] ?? "") \($0["state"] ?? "") \($0["reason"] ?? "")" }
    let troubles = served.program.lines.filter {
      $0.contains(#""level":"error""#) || $0.contains(#""level":"warning""#)
    }
    #expect(wrong.isEmpty, "\(troubles.suffix(20).joined(separator: "\n"))")
    let screens = try await phones.screens()
    // A fault may come before the device's own answer, and show a push all the same.
    let shown = screens.filter {
      $0["token"]?.stringValue?.hasPrefix("00") == false && $0["notifications"]?.elements?.isEmpty == false
    }
    let gone = try await runner.database.query("SELECT FROM device_tokens WHERE NOT is_active").count
    #expect(gone > 0)
    #expect(shown.count == Self.count - gone)
    #expect(shown.allSatisfy { $0["notifications"]?.elements?.count == 1 && $0["duplicates"]?.intValue ?? 0 == 0 })
    // One in ten met something; otherwise this would show nothing.
    let attempts = try await runner.database.query("SELECT FROM push_notification_logs").count
    #expect(attempts > Self.count + Self.count / 20)
  }

  /// `functions.json` with push-delivery alone, so that no schedule ticks while hours pass.
  private static func manifest() throws -> String {
    let whole = try RawJSON(validating: Array(House.text("functions.json").utf8)[...])
    let members = try ["functions", "services"].map { name in
      let kept = try #require(whole[name]?.members).filter { ["push-delivery", "push-emulator"].contains($0.name) }
      return (name, RawJSON(object: kept.map { ($0.name, $0.value) }))
    }
    return String(decoding: RawJSON(object: members).bytes, as: UTF8.self)
  }

  private static let deliveries = """
    INSERT INTO users (email, name) SELECT i || '@example.com', 'Ada' FROM generate_series(1, \(count)) AS i;
    INSERT INTO device_tokens (user_id, token, platform, registered_at)
      SELECT id, encode(sha256(email::bytea), 'hex'), 'iOS', now() - interval '1 day' FROM users;
    INSERT INTO notifications (user_id, type, title, payload, collapse_id)
      SELECT id, 'new_vote', email, '{"aps":{"alert":"Hi"},"type":"new_vote"}', id FROM users;
    INSERT INTO deliveries
      (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
      SELECT n.id, t.id, t.user_id, 'feedbackkit', now(), now() + interval '1 day', now(), now()
      FROM notifications AS n JOIN device_tokens AS t USING (user_id);
    """

  private static let nothingIsDue: SQL = """
    NOT EXISTS (SELECT FROM deliveries WHERE state = 'queued' AND (lease_until IS NOT NULL OR not_before < runner.now()))
    """
}

extension Phones {
  /// Has the emulator's control API do something.
  func tell(_ path: String, _ body: String) async throws {
    let answer = try await client.send(
      HTTPCall(.post, (environment["PUSH_EMULATOR_URL"] ?? "") + path, body: Array(body.utf8)))
    guard (200..<300).contains(answer.status) else {
      throw ProgramFailure(description: "\(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }
  }
}
