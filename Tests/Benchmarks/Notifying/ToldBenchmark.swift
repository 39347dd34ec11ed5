import Postgres
import TestSupport

/// Votes and comments through a runner with warm functions, from the rows' COMMIT until the queue is empty.
///
/// On feedbacks of their own, each makes a delivery to its submitter. On one feedback, all but the first are held, to
/// be merged. Notifications to the same person are decided one batch after the other, in the order of their locks.
struct ToldBenchmark {
  let effort: Effort

  private enum Subject: CaseIterable {
    case votes, comments, commentsInOne, votesForOne

    var what: String {
      switch self {
      case .votes: "votes, each for a feedback of its own"
      case .comments: "comments, each on a feedback of its own, in \(projects) projects"
      case .commentsInOne: "comments, each on a feedback of its own, all to one owner"
      case .votesForOne: "votes for one feedback, merged"
      }
    }

    /// Events of one project wait for each other where they are told to the same owner.
    var projects: Int { self == .commentsInOne ? 1 : 50 }

    /// The wanted rate.
    var goal: Double {
      switch self {
      case .votes: 5_000
      case .comments, .commentsInOne: 4_000
      case .votesForOne: 8_000
      }
    }

    var isVote: Bool { self == .votes || self == .votesForOne }

    var function: String { isVote ? "vote-cast" : "comment-added" }

    /// The table in which every row leaves one, except the first of those that are merged.
    var result: String { self == .votesForOne ? "held_notifications" : "deliveries" }

    /// The statement that inserts `count` rows; those for warming up are all about one feedback.
    func rows(_ count: Int, warmUp: Bool = false) -> String {
      let feedback = warmUp ? "0" : self == .votesForOne ? "1" : "n"
      let columns =
        isVote ? "votes (user_email, user_id, feedback_id)" : "comments (content, user_id, feedback_id)"
      return """
        INSERT INTO \(columns)
        SELECT 'voter-' || n || '@example.com', 'sdk-voter-' || n, f.id
        FROM generate_series(1, \(count)) AS n JOIN feedbacks f ON f.user_id = 'sdk-' || \(feedback)
        """
    }
  }

  func findings() async throws -> [Finding] {
    let count = effort.choose(quick: 500, normal: 20_000)
    return try await LocalCluster.with { cluster in
      var findings: [Finding] = []
      for subject in Subject.allCases {
        var courses: [ServerShare] = []
        for _ in 0..<effort.choose(quick: 1, normal: 3, long: 7) {
          courses.append(try await course(subject, count, cluster))
        }
        findings += ServerShare.findings("told: \(subject.what)", courses, atLeast: 0.2, goal: subject.goal)
      }
      return findings
    }
  }

  /// Sends the events, in a database of its own; the first rows warm the functions and do not count.
  private func course(_ subject: Subject, _ count: Int, _ cluster: LocalCluster) async throws -> ServerShare {
    let project = try await QueueProject(
      cluster, manifest: try ProjectManifest.only(subject.function), tables: "SELECT")
    return try await connected(to: project.databaseURL) { database in
      try await Submitters.make(count, inProjects: subject.projects, database)
      let runner = try await project.start()
      let warmUp = 200
      try await database.script(subject.rows(warmUp, warmUp: true))
      try await project.waitUntilEmpty()
      try await database.script(subject.rows(count))
      let (start, used) = (ContinuousClock.now, try await cluster.serverTime())
      let usedByOthers = try ProcessFigures.time(ofFamily: runner.processID)
      // To count the results again and again would take PostgreSQL's time.
      try await project.waitUntilEmpty()
      let time = ContinuousClock.now - start
      let serverTime = try await cluster.serverTime() - used
      let otherTime = try ProcessFigures.time(ofFamily: runner.processID) - usedByOthers
      let results = try await self.count(subject.result, database) - (subject == .votesForOne ? warmUp - 2 : 1)
      guard results == count else { throw BenchmarkError("\(results) of \(count) rows are in \(subject.result).") }
      try await runner.stop()
      return ServerShare(count, in: time, serverTime: serverTime, otherTime: otherTime)
    }
  }

  private func count(_ table: String, _ database: Connection) async throws -> Int {
    try await database.query("SELECT count(*) AS rows FROM \(identifier: table)").only().decode("rows")
  }
}
