import EventLoop
import FunctionKit
import Postgres
import TestSupport

/// The calls that an app makes most, through the gateway with warm functions.
///
/// That is a person's devices, and a page of the inbox of a person who was told little and of one who was told much.
struct APIBenchmark {
  let effort: Effort

  private static let crowd = 32

  private enum Subject: String, CaseIterable {
    case devices = "devices"
    case page = "an inbox page"
    case pageOfMany = "an inbox page of many"

    var function: String { self == .devices ? "devices" : "inbox" }
    var path: String { self == .devices ? "/api/v1/devices" : "/api/v1/notifications?limit=20" }
    var token: String { self == .pageOfMany ? "many" : "few" }
    /// Calls a second that are wanted.
    var goal: Double? { self == .page ? 6_000 : nil }
  }

  func findings() async throws -> [Finding] {
    let results = try await withServedProject(manifest: Self.manifest) { project in
      let many = effort.choose(quick: 10_000, normal: 100_000)
      try await connected(to: project.databaseURL) { database in
        for migration in Schema.migrations { try await database.script(migration.sql) }
        try await database.script(Self.rows(few: 100, many: many))
        for statement in ["VACUUM ANALYZE", "CHECKPOINT"] { try await database.script(statement) }
      }
      return try await measure(project)
    }
    let samples = results.mapValues { Samples($0.calls.milliseconds) }
    let calls = Subject.allCases.flatMap { subject -> [Finding] in
      guard let result = results[subject], let times = samples[subject] else { return [] }
      let what = "api: \(subject.rawValue), \(Self.crowd) at a time"
      return [
        Finding(what: what, p50: times.p50, p99: times.p99, goal: subject == .page ? .p99Below(20) : nil)
      ] + ServerShare.findings(what, result.shares, atLeast: 0.1, goal: subject.goal)
    }
    guard let many = samples[.pageOfMany], let few = samples[.page] else { return calls }
    return calls + [
      Finding(
        what: "api: the page of many against that of few, p50", ratio: many.p50 / few.p50, limits: [.ratioAtMost(3)])
    ]
  }

  private struct Measured {
    var calls = LoadResult()
    var shares: [ServerShare] = []
  }

  private func measure(_ project: ServedProject) async throws -> [Subject: Measured] {
    let load = HTTPLoad(port: project.port)
    defer { load.loop.stop() }
    let time = effort.choose(quick: Duration.milliseconds(500), normal: .seconds(2), long: .seconds(10))
    let warmUp = Duration.milliseconds(500)
    var results: [Subject: Measured] = [:]
    // All take turns, so that everything else on the machine affects all alike.
    for _ in 0..<effort.choose(quick: 1, normal: 3) {
      for subject in Subject.allCases {
        let request = """
          GET \(subject.path) HTTP/1.1\r
          Host: 127.0.0.1:\(project.port)\r
          Authorization: Bearer \(subject.token)\r
          \r

          """
        let used = try await project.serverTime()
        let calls = try await load.run(request, connections: Self.crowd, warmUp: warmUp, time: time)
        // The calls for warming up are not counted, and their part of the server's time is not either.
        let serverTime = (try await project.serverTime() - used) * (time / (time + warmUp))
        results[subject, default: Measured()].calls += calls
        results[subject, default: Measured()].shares.append(
          ServerShare(calls.milliseconds.count, in: calls.time, serverTime: serverTime))
      }
    }
    return results
  }

  /// The two functions as the project has them, but without a limit of calls.
  private static var manifest: String {
    let entries = [("devices", "/api/v1/devices"), ("inbox", "/api/v1/notifications")].map { name, path in
      """
      "\(name)": {"executable": "\(BuiltExecutables.path(of: name))", "concurrency": 3, "environment": ["DATABASE_URL"],
        "triggers": [{"http": "function", "routes": ["GET \(path)"]}]}
      """
    }
    return #"{"functions": {\#(entries.joined(separator: ","))}}"#
  }

  /// Two people with three devices each, one with `few` and one with `many` entries in the inbox.
  private static func rows(few: Int, many: Int) -> String {
    """
    INSERT INTO users (email, name) VALUES ('few@example.com', 'Few'), ('many@example.com', 'Many');
    INSERT INTO user_tokens (value, user_id) SELECT lower(name), id FROM users;
    INSERT INTO device_tokens (user_id, token, platform, environment)
      SELECT id, name || n, 'iOS', 'production' FROM users, generate_series(1, 3) AS n;
    INSERT INTO projects (name, api_key, owner_id) SELECT 'App', 'key', id FROM users WHERE name = 'Few';
    INSERT INTO feedbacks (title, user_id, project_id, vote_count)
      SELECT 'Dark mode ' || n, 'x', p.id, n FROM projects p, generate_series(1, \(many)) AS n;
    INSERT INTO notifications (user_id, type, title, body, project_id, feedback_id, data, is_read, created_at)
      SELECT u.id, 'new_feedback', 'New Feedback', f.title, f.project_id, f.id, jsonb_build_object('type', 'new_feedback',
          'feedbackId', f.id, 'projectId', f.project_id, 'actionUrl', 'feedbackkit://feedback/' || f.id),
        f.vote_count % 3 = 0, now() - f.vote_count * interval '20 seconds'
      FROM users u, feedbacks f WHERE u.name = 'Many' OR f.vote_count <= \(few);
    """
  }
}
