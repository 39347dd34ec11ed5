import Postgres
import TestSupport

/// Very many events of one transaction, through a runner with warm functions, until the queue is empty.
///
/// Status changes each have a submitter of their own. Votes are for one in twenty as many feedbacks: the first one for a
/// feedback makes a delivery, and the others are held, to be merged.
struct FloodBenchmark {
  let effort: Effort

  private enum Subject: CaseIterable {
    case statuses, votes

    var function: String { self == .statuses ? "status-changed" : "vote-cast" }

    /// A million votes take the long effort.
    func count(_ effort: Effort) -> Int {
      switch self {
      case .statuses: effort.choose(quick: 2_000, normal: 100_000)
      case .votes: effort.choose(quick: 2_000, normal: 200_000, long: 1_000_000)
      }
    }

    func what(_ count: Int) -> String {
      self == .statuses ? "\(count) status changes of one UPDATE" : "\(count) votes of one transaction"
    }

    func feedbacks(_ count: Int) -> Int { self == .statuses ? count : count / 20 }

    /// The statement of `count` events; the one for warming up is about another feedback.
    func statement(_ count: Int, warmUp: Bool = false) -> String {
      switch self {
      case .statuses: "UPDATE feedbacks SET status = 'approved' WHERE (user_id = 'sdk-0') = \(warmUp)"
      case .votes:
        """
        INSERT INTO votes (user_email, user_id, feedback_id)
        SELECT 'voter-' || n || '@example.com', 'sdk-voter-' || n, f.id FROM generate_series(1, \(count)) AS n
        JOIN feedbacks f ON f.user_id = 'sdk-' || \(warmUp ? "0" : "1 + n % \(feedbacks(count))")
        """
      }
    }
  }

  private struct Course {
    let share: ServerShare
    /// The rate of the last tenth of the events against that of the first.
    let steadiness: Double
    /// The runner's, in MiB.
    let peakMemory: Double
  }

  func findings() async throws -> [Finding] {
    try await LocalCluster.with { cluster in
      var findings: [Finding] = []
      for subject in Subject.allCases {
        let count = subject.count(effort)
        var courses: [Course] = []
        // One of them takes a minute or more.
        for _ in 0..<effort.choose(quick: 1, normal: 1, long: 3) {
          courses.append(try await course(subject, count, cluster))
        }
        let what = "flood: \(subject.what(count))"
        findings += ServerShare.findings(
          what, courses.map(\.share), atLeast: 0.2, goal: subject == .statuses ? 5_000 : nil)
        findings += [
          Finding(
            what: "\(what), last tenth against first", ratio: Samples(courses.map(\.steadiness)).p50,
            limits: [.ratioAtLeast(0.7)], goal: .ratioAtLeast(0.9)),
          Finding(
            what: "\(what), the runner's MiB at most", value: courses.map(\.peakMemory).max(),
            limits: [.valueBelow(128)]),
        ]
      }
      return findings
    }
  }

  /// Sends the events, in a database of its own.
  private func course(_ subject: Subject, _ count: Int, _ cluster: LocalCluster) async throws -> Course {
    let manifest = try ProjectManifest.only(subject.function)
    let project = try await QueueProject(cluster, manifest: manifest, tables: "SELECT")
    return try await connected(to: project.databaseURL) { database in
      try await Submitters.make(subject.feedbacks(count), inProjects: 50, database)
      let runner = try await project.start()
      try await database.script(subject.statement(200, warmUp: true))
      try await project.waitUntilEmpty()
      try await database.script(subject.statement(count))
      let (start, used) = (ContinuousClock.now, try await cluster.serverTime())
      let usedByOthers = try ProcessFigures.time(ofFamily: runner.processID)
      try await project.waitUntilEmpty(within: .seconds(120 + count / 100))
      let time = ContinuousClock.now - start
      let serverTime = try await cluster.serverTime() - used
      let otherTime = try ProcessFigures.time(ofFamily: runner.processID) - usedByOthers
      let peak = try ProcessFigures.peakMemory(of: runner.processID)
      try await verify(count, warmUp: subject == .statuses ? 1 : 200, database)
      let steadiness = try await steadiness(count, database)
      try await runner.stop()
      return Course(
        share: ServerShare(count, in: time, serverTime: serverTime, otherTime: otherTime), steadiness: steadiness,
        peakMemory: Double(peak) / 1_048_576)
    }
  }

  /// Throws unless each event was decided about its one submitter.
  private func verify(_ count: Int, warmUp: Int, _ database: Connection) async throws {
    let decided: Int = try await database.query("SELECT count(*) AS rows FROM decisions").only().decode("rows")
    guard decided == count + warmUp else {
      throw BenchmarkError("Of \(count + warmUp) events, \(decided) were decided about.")
    }
  }

  /// The rate of the last tenth of the events against that of the first, by the times at which they ended.
  private func steadiness(_ count: Int, _ database: Connection) async throws -> Double {
    let tenth = count / 10
    return try await database.query(
      """
      WITH ends AS MATERIALIZED (
        SELECT ended_at, row_number() OVER (ORDER BY ended_at DESC) AS place FROM runner.history WHERE code = 'OK'
      ), at AS (
        SELECT place, extract(epoch FROM ended_at) AS time FROM ends
        WHERE place IN (1, \(tenth), \(count - tenth + 1), \(count))
      )
      SELECT (
          (SELECT time FROM at WHERE place = \(count - tenth + 1)) - (SELECT time FROM at WHERE place = \(count))
        )::float8 / nullif(
          (SELECT time FROM at WHERE place = 1) - (SELECT time FROM at WHERE place = \(tenth)), 0)::float8 AS ratio
      """
    ).only().optional("ratio") ?? 0
  }
}
