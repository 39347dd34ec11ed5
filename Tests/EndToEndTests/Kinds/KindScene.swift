import Foundation
import FunctionKit
import Postgres
import TestSupport

/// The whole bundle in which an event of every kind happens: each to its own people, all at the same time.
struct KindScene {
  let runner: RunningRunner
  let phones: Phones
  private let served: Served
  private let tick: Date
  /// The deadline that takes the place of the one in the payload files.
  private let deadline: Date

  /// - Parameter server: where it serves as a role that owns nothing; without one, as the owner of the database.
  init(on server: RoleServer? = nil) async throws {
    let manifest = try House.text("functions.json")
    if let server {
      let access = try await server.makeDatabase("kinds")
      runner = try await RunningRunner(manifest, environment: ["DATABASE_URL": access.role], database: access.owner)
      let migrated = try await access.migrate(runner)
      guard migrated.exit == 0 else { throw ProgramFailure(description: migrated.stderr) }
      try await access.letRoleIn(runner)
    } else {
      runner = try await RunningRunner(manifest)
    }
    served = try await runner.start(services: true, migrates: server == nil)
    try await served.program.line { $0.contains("Partitions taken") }
    phones = try Phones(served, project: runner.project.path)
    let minute = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 60).rounded(.up) * 60)
    (tick, deadline) = (minute + 60, minute + 86_400)
  }

  /// The lines of the log about what went wrong.
  var failures: [String] { served.program.lines.filter { $0.contains(#""level":"error""#) || $0.contains("42501") } }

  /// A text with the ids, deadline and minute of a case.
  func text(_ text: String, of index: Int) -> String {
    text.replacing("-8000-00000000", with: "-8000-\(1000 + index)0000")
      .replacing("2030-01-05T20:00:00Z", with: deadline.formatted(.iso8601))
      .replacing("{tick}", with: tick.formatted(.iso8601))
  }

  /// Lets everything happen, and waits until all of it has been told.
  func play(_ cases: [KindCase]) async throws {
    let before = cases.enumerated().map { text(people(of: $1) + $1.before, of: $0) }
    try await runner.database.script(
      "BEGIN; SET LOCAL session_replication_role = replica; \(before.joined(separator: "\n")) COMMIT")
    for (index, row) in cases.enumerated() where !row.act.isEmpty {
      try await runner.database.script(text(row.act, of: index))
    }
    for (index, row) in cases.enumerated() {
      guard let call = row.call else { continue }
      let answer = try await served.call(call.function, text(call.body, of: index))
      guard answer.status == 200 else { throw ProgramFailure(description: "\(row.name): \(answer.text)") }
    }
    let clock = try await runner.run(["clock", "advance", "3m", "--any-local-database"], timeout: .seconds(120))
    guard clock.exit == 0 else { throw ProgramFailure(description: clock.stderr) }
  }

  private func people(of row: KindCase) -> String {
    row.people.sorted { $0.key < $1.key }.map { number, name in
      let id = "a0000000-0000-4000-8000-00000000000\(number)"
      return """
        INSERT INTO users (id, email, name, is_email_verified) VALUES ('\(id)', '\(id)@example.com', '\(name)', true);
        INSERT INTO device_tokens (user_id, token, platform, app, environment, bundle_id)
        VALUES ('\(id)', repeat(replace('\(id)', '-', ''), 2), 'iOS', '\(row.app)', 'sandbox', 'com.example.\(row.app)');

        """
    }.joined()
  }

  /// The pushes of a case by the person whose phone they reached.
  func pushes(of index: Int, among pushes: [RawJSON]) -> [Int: [RawJSON]] {
    let prefix = text("a0000000-0000-4000-8000-00000000000", of: index).replacing("-", with: "")
    let own = pushes.filter { $0["token"]?.stringValue?.hasPrefix(prefix) == true && !isQuiet($0) }
    return Dictionary(grouping: own) { push in
      push["token"]?.stringValue?.dropFirst(prefix.count).first?.wholeNumberValue ?? 0
    }
  }

  /// A badge alone, or a count of votes in the background.
  private func isQuiet(_ push: RawJSON) -> Bool {
    let payload = push["payload"]
    let aps = payload?["aps"]?.members.map(\.name)
    return push["collapseID"]?.stringValue == "badge" && payload?.members.map(\.name) == ["aps"] && aps == ["badge"]
      || payload?.members.map(\.name) == ["aps", "proposal_id", "vote_count"] && aps == ["content-available"]
  }

  /// The payload of a case that is on file, with the badge and the id of its notification.
  func payload(_ file: String, of index: Int, badge: Int, id: String) throws -> String {
    let json = text(try House.text("Tests/FunctionTests/Payloads/\(file)"), of: index)
    var payload = try dictionary(Data(json.utf8))
    payload["aps"] = (payload["aps"] as? [String: Any])?.merging(["badge": badge]) { $1 }
    let key = ["feedbackkit", "messageai"].contains(file.prefix { $0 != "/" }) ? "notificationId" : "notification_id"
    let onFile = payload[key] as? String
    if onFile == nil || onFile == "00000000-0000-0000-0000-000000000000" { payload[key] = id }
    return try text(payload)
  }

  /// The payload that arrived.
  func payload(of push: RawJSON) throws -> String {
    try text(dictionary(Data(push["payload"]?.bytes ?? [])))
  }

  /// JSON whose members have an order.
  private func text(_ payload: [String: Any]) throws -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try JSONSerialization.data(withJSONObject: payload, options: options), as: UTF8.self)
  }

  private func dictionary(_ json: Data) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
  }

  /// The one notification of a kind that a person was pushed: its id, and when its push becomes pointless.
  func notification(of row: KindCase, _ index: Int, to person: Int) async throws -> (id: String, expiry: Int) {
    let user = text("a0000000-0000-4000-8000-00000000000\(person)", of: index)
    let found = try await runner.database.query(
      """
      SELECT n.id::text, extract(epoch FROM \(row.expiry))::bigint AS expiry FROM notifications n
      WHERE n.user_id = \(user)::uuid AND n.app = \(row.app) AND n.type = \(row.kind) AND n.pushed_at IS NOT NULL
      """
    ).only()
    return (try found.decode("id"), try found.decode("expiry"))
  }
}
