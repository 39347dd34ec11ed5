import FoundationEssentials
import Postgres
import TestSupport

/// Very many held notifications that are due at one moment, until nothing is held; meanwhile something of a stranger's comes
/// due again and again.
///
/// Either each person has one, or one person has all, of votes for one feedback.
struct ReleaseBenchmark {
  let effort: Effort

  private enum Flood: CaseIterable {
    case people, person

    /// A million take the long effort.
    func count(_ effort: Effort) -> Int { effort.choose(quick: 2_000, normal: 100_000, long: 1_000_000) }

    func what(_ count: Int) -> String {
      self == .people ? "release: one due for each of \(count) people" : "release: \(count) due for one person"
    }

    /// Each vote is for the feedback of the submitter of its number, or all are for the first one's.
    var owner: SQL { self == .people ? "n" : "1" }
  }

  private struct Course {
    let share: ServerShare
    /// In milliseconds, from the time at which it was due.
    let waits: [Double]
    /// Of the runner and its functions, in MiB.
    let memory: Double
  }

  func findings() async throws -> [Finding] {
    try await LocalCluster.with { cluster in
      var findings: [Finding] = []
      for flood in Flood.allCases {
        let count = flood.count(effort)
        let course = try await course(flood, count, cluster)
        let what = flood.what(count)
        findings += ServerShare.findings(what, [course.share], atLeast: 0.2, goal: 20_000)
        findings += [
          Finding(
            what: "\(what), the wait of a stranger among them", p50: Samples(course.waits).p50,
            p99: Samples(course.waits).p99, limits: [.p99Below(5_000)], goal: .p99Below(1_000)),
          Finding(
            what: "\(what), MiB of the runner and release-held", value: course.memory, limits: [.valueBelow(256)]),
        ]
      }
      return findings
    }
  }

  private func course(_ flood: Flood, _ count: Int, _ cluster: LocalCluster) async throws -> Course {
    let manifest = try ProjectManifest.only("release-held")
    let project = try await QueueProject(cluster, manifest: manifest, tables: "SELECT")
    return try await connected(to: project.databaseURL) { database in
      try await Submitters.make(flood == .people ? count : 1, inProjects: 50, database)
      try await hold(count, flood, database)
      for statement in ["VACUUM ANALYZE", "CHECKPOINT"] { try await database.script(statement) }
      let used = try await cluster.serverTime()
      let runner = try await project.start()
      let (start, usedByOthers) = (ContinuousClock.now, try ProcessFigures.time(ofFamily: runner.processID))
      var waits: [Double] = []
      var memory = 0.0
      while try await isHeld(database) {
        waits.append(try await stranger(database))
        let peaks = try ProcessFigures.family(of: runner.processID).map(ProcessFigures.peakMemory(of:))
        memory = max(memory, Double(peaks.reduce(0, +)) / 1_048_576)
        guard ContinuousClock.now - start < .seconds(120 + count / 500) else {
          throw BenchmarkError("It is still held.")
        }
      }
      let time = ContinuousClock.now - start
      let serverTime = try await cluster.serverTime() - used
      let otherTime = try ProcessFigures.time(ofFamily: runner.processID) - usedByOthers
      try await runner.stop()
      try await verify(count, flood, database)
      return Course(
        share: ServerShare(count, in: time, serverTime: serverTime, otherTime: otherTime), waits: waits, memory: memory)
    }
  }

  /// The votes with what `vote-cast` writes of them; the submitter of number 0 is the stranger.
  private func hold(_ count: Int, _ flood: Flood, _ database: Connection) async throws {
    _ = try await database.query(
      """
      INSERT INTO votes (user_id, feedback_id)
      SELECT 'voter-' || n, f.id FROM generate_series(1, \(count)) AS n JOIN feedbacks f ON f.user_id = 'sdk-' || \(flood.owner)
      """)
    _ = try await database.query(
      """
      INSERT INTO votes (user_id, feedback_id) SELECT 'voter', id FROM feedbacks WHERE user_id = 'sdk-0'
      """)
    _ = try await database.query(
      """
      WITH held AS (
        INSERT INTO notifications (id, user_id, app, type, title, body, origin, function, payload, family, family_subject,
          family_name, subject_id, feedback_id, project_id, recipient_reason, actor, push_type, created_at,
          push_expires_at)
        SELECT md5('held ' || n)::uuid, u.id, 'feedbackkit', 'new_vote', 'New Vote', 'A vote', 'function', 'vote-cast',
          '{"aps":{"alert":"x"}}', 'votes', f.id::text, f.title, f.id::text, f.id, f.project_id, 'submitter',
          CASE WHEN n = 0 THEN 'voter' ELSE 'voter-' || n END, 'alert', now() - interval '1 hour', now() + interval '1 day'
        FROM generate_series(0, \(count)) AS n
        JOIN feedbacks f ON f.user_id = 'sdk-' || CASE WHEN n = 0 THEN 0 ELSE \(flood.owner) END
        JOIN users u ON u.email = f.user_email
        RETURNING id, user_id, app
      )
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'batched', now(), now() - interval '1 hour' FROM held WHERE id <> md5('held 0')::uuid
      """)
  }

  private func isHeld(_ database: Connection) async throws -> Bool {
    try await !database.query("SELECT FROM held_notifications LIMIT 1").isEmpty
  }

  /// Holds the stranger's until now, and waits until it has gone out.
  private func stranger(_ database: Connection) async throws -> Double {
    _ = try await database.query(
      """
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'batched', now(), now() FROM notifications WHERE id = md5('held 0')::uuid
      """)
    let start = ContinuousClock.now
    while try await !database.query("SELECT FROM held_notifications WHERE notification_id = md5('held 0')::uuid")
      .isEmpty
    {
      try await Task.sleep(for: .milliseconds(5))
      guard ContinuousClock.now - start < .seconds(300) else { throw BenchmarkError("The stranger waits for ever.") }
    }
    return (ContinuousClock.now - start).milliseconds
  }

  /// Throws unless each person has one push, and all were decided.
  private func verify(_ count: Int, _ flood: Flood, _ database: Connection) async throws {
    let row = try await database.query(
      """
      SELECT (SELECT count(DISTINCT notification_id) FROM deliveries)::int AS pushes,
        (SELECT count(*) FROM notifications WHERE merged_into IS NOT NULL)::int AS merged
      """
    ).only()
    let (pushes, merged): (Int, Int) = (try row.decode("pushes"), try row.decode("merged"))
    let expected = flood == .people ? (count + 1, 0) : (2, count - 1)
    guard (pushes, merged) == expected else {
      throw BenchmarkError("\(pushes) were pushed and \(merged) merged, where it should have been \(expected).")
    }
  }
}
