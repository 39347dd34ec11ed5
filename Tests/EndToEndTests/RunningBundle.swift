import Foundation
import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// The whole bundle on a database of its own: the real functions, the push emulator, and the demo's people.
final class RunningBundle: Sendable {
  let runner: RunningRunner

  /// - Parameters:
  ///   - environment: what the runner has in its environment besides.
  ///   - database: the URL of another database than a new one.
  init(environment: [String: String] = [:], database: String? = nil) async throws {
    let manifest = try House.text("functions.json")
    let url =
      if let database { database } else {
        try await RunningRunner.makeDatabase(for: manifest)
      }
    runner = try await RunningRunner(manifest, environment: environment, database: url)
    try await Self.copySamples(to: runner.project.path)
  }

  /// Puts the sample events where `functions.json` says they are.
  static func copySamples(to project: String) async throws {
    let events = House.root.appending(path: "Tests/Events").path
    _ = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "mkdir '\(project)/Tests' && cp -r '\(events)' '\(project)/Tests/'"])
  }

  /// Starts it with its services, and loads the demo's people.
  ///
  /// - Parameters:
  ///   - migrates: whether it may bring the database up to date.
  ///   - environment: what this runner has in its environment besides.
  func start(
    migrates: Bool = true, options: [String] = [], environment: [String: String] = [:]
  ) async throws -> Phones {
    let served = try await runner.start(
      services: true, migrates: migrates, options: options, environment: environment)
    try await served.program.line { $0.contains("Partitions taken") }
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))
    return try Phones(served, project: runner.project.path)
  }

  /// Waits until every event is handled and every delivery has ended.
  func settle(within limit: Duration = .seconds(300)) async throws { try await runner.settle(within: limit) }
}

/// The phones' pushes, asked of the emulator that a runner has started.
struct Phones: Sendable {
  let served: Served
  let environment: [String: String]
  let client: HTTPClient

  init(_ served: Served, project: String) throws {
    let text = try String(contentsOfFile: "\(project)/.runner/runner.json", encoding: .utf8)
    let state = try RawJSON(validating: Array(text.utf8)[...])
    self.init(
      served, (state["environment"]?.members ?? []).reduce(into: [:]) { $0[$1.name] = $1.value.stringValue })
  }

  /// - Parameter environment: the variables that an emulator gives to senders.
  init(_ served: Served, _ environment: [String: String]) {
    (self.served, self.environment) = (served, environment)
    client = HTTPClient(
      trust: .certificateAuthority(path: environment["APNS_CA_PATH"] ?? ""),
      limits: HTTPLimits(connect: .seconds(60), total: .seconds(120), body: 64 << 20))
  }

  /// Every push that was accepted.
  func pushes() async throws -> [RawJSON] {
    try await get("/pushes", "pushes").filter { $0["status"]?.intValue == 200 }
  }

  /// The screens of the devices.
  func screens() async throws -> [RawJSON] {
    try await get("/devices", "devices")
  }

  /// Asks the emulator's control API.
  func ask(_ path: String) async throws -> RawJSON {
    let answer = try await client.send(HTTPCall(.get, (environment["PUSH_EMULATOR_URL"] ?? "") + path))
    return try RawJSON(validating: answer.body[...])
  }

  private func get(_ path: String, _ member: String) async throws -> [RawJSON] {
    try await ask(path)[member]?.elements ?? []
  }
}

extension RunningRunner {
  /// Waits until every event is handled and every delivery has ended, see ``Postgres/Connection/settle(within:)``.
  func settle(within limit: Duration = .seconds(300)) async throws { try await database.settle(within: limit) }

  /// The same of all phones, see ``Postgres/Connection/expectEachShownOnce(_:isRestored:)``.
  func expectEachShownOnce(_ phones: Phones, isRestored: Bool = false) async throws {
    try await database.expectEachShownOnce(phones.pushes(), isRestored: isRestored)
  }
}

extension Connection {
  /// Waits until every event is handled and every delivery has ended; a failure names what still waits.
  ///
  /// A badge may wait for room in its device's hour: a process that was killed may have sent the ones before.
  func settle(within limit: Duration = .seconds(300)) async throws {
    let isSettled: SQL = """
      SELECT (SELECT count(*) FROM runner.events) + (SELECT count(*) FROM runner.retries)
        + (SELECT count(*) FROM deliveries
           WHERE state = 'queued' AND reason IS DISTINCT FROM 'TooManyQuietPushes') = 0 AS yes
      """
    let (deadline, pauses) = (ContinuousClock.now + limit, Pauses())
    while try await !query(isSettled).only().decode("yes", as: Bool.self) {
      if ContinuousClock.now >= deadline {
        let waiting = try await query(
          """
          SELECT to_jsonb(e)::text AS row FROM runner.events e UNION ALL SELECT to_jsonb(r)::text FROM runner.retries r
          UNION ALL SELECT to_jsonb(d)::text FROM deliveries d WHERE state = 'queued' LIMIT 10
          """)
        let rows = waiting.map { $0["row"] ?? "" }.joined(separator: "\n")
        throw ProgramFailure(description: "After \(limit) there still wait:\n\(rows)")
      }
      try await pauses.next()
    }
  }

  /// Votes for copies of the demo's feedback, one each: so somebody is told of every vote at once.
  func vote(_ count: Int) async throws {
    for _ in 0..<count {
      _ = try await query(
        """
        WITH another AS (
          INSERT INTO feedbacks (title, user_id, user_email, project_id)
          SELECT title, user_id, user_email, project_id FROM feedbacks
          WHERE id = 'c0000000-0000-4000-8000-000000000001' RETURNING id)
        INSERT INTO votes (feedback_id, user_id) SELECT id, gen_random_uuid()::text FROM another
        """)
    }
  }

  /// Each accepted delivery was shown, none under two collapse ids, and no device shows one notification twice.
  ///
  /// Only pushes of a badge alone take each other's place.
  ///
  /// - Parameters:
  ///   - pushes: all that were accepted.
  ///   - isRestored: the phones also show what the database has lost.
  func expectEachShownOnce(_ pushes: [RawJSON], isRestored: Bool = false) async throws {
    let accepted = try await query(
      """
      SELECT t.token, n.collapse_id, n.type, concat_ws(' ', n.id, n.type, n.source_event_id) AS said
      FROM deliveries d JOIN notifications n ON n.id = d.notification_id
      JOIN device_tokens t ON t.id = d.device_token_id WHERE d.state = 'accepted'
      """)
    let shown = Set(pushes.map { "\($0["token"]?.stringValue ?? "")/\($0["collapseID"]?.stringValue ?? "")" })
    let expected = Set(accepted.map { "\($0["token"] ?? "")/\($0["collapse_id"] ?? "")" })
    #expect(isRestored ? expected.isSubset(of: shown) : shown == expected)
    let notifications = accepted.filter { $0["type"] != "badge" }
    let said = Dictionary(grouping: notifications) { "\($0["token"] ?? "")/\($0["collapse_id"] ?? "")" }
    #expect(said.values.filter { $0.count > 1 }.map { $0.map { $0["said"] ?? "" } } == [])
  }
}
