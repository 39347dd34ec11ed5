import Foundation
import FunctionKit
import Postgres

/// From the return of the COMMIT that casts a vote to the push's arrival at the emulator, one vote at a time.
///
/// Each vote is for a feedback of its own, because further votes for the same one wait to be told together.
///
/// The emulator notes arrivals in whole milliseconds, so each time is true to half of one.
struct PushBenchmark {
  let effort: Effort

  private static let warmUp = 20
  /// The pause between a push and the next vote, so that the work that the push left is done.
  private static let pause = Duration.milliseconds(30)

  func findings() async throws -> [Finding] {
    let manifest = try ProjectManifest.read().text
    let votes = effort.choose(quick: 20, normal: 200)
    let times = try await withServedProject(manifest: manifest) { project in
      let database = Connection(url: try project.databaseURL, applicationName: "benchmark")
      // There are no triggers: the feedbacks are not events.
      try await database.script("SET session_replication_role = replica")
      try await Submitters.make(votes + Self.warmUp, inProjects: 1, database)
      try await database.script("RESET session_replication_role")
      let times = try await Self.times(votes, database, try Phones(project.environment))
      await database.close()
      return Samples(times)
    }
    return [
      Finding(
        what: "COMMIT to push", p50: times.p50, p99: times.p99, limits: [.p50Below(15), .p99Below(60)],
        goal: .p50Below(6))
    ]
  }

  private static func times(_ votes: Int, _ database: Connection, _ phones: Phones) async throws -> [Double] {
    var times: [Double] = []
    for vote in 1...votes + warmUp {
      // The question to the emulator is there before the vote, because asking takes processor time, too.
      async let arrival = phones.nextArrival()
      try await Task.sleep(for: pause)
      _ = try await database.query(
        """
        INSERT INTO votes (feedback_id, user_id, user_email)
        SELECT id, \("voter-\(vote)"), \("voter-\(vote)@example.com") FROM feedbacks WHERE user_id = \("sdk-\(vote)")
        """)
      let committed = Date.now
      let arrived = try await arrival
      if vote > warmUp { times.append(arrived.timeIntervalSince(committed) * 1_000) }
    }
    return times
  }
}
