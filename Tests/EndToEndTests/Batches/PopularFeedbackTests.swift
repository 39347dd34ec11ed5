import Foundation
import Postgres
import TestSupport
import Testing

/// Votes for a feedback that has very many.
@Suite(.heavy)
struct PopularFeedbackTests {
  private static let votes = 20_000
  private static let events = 50

  /// Counting them for each event would make each event slower than the one before.
  @Test func itsVotesAreCountedOnceASecond() async throws {
    let scene = try await VotesScene(people: 1)
    try await BatchRun.write(
      [
        "INSERT INTO votes (user_id, feedback_id) SELECT 'more-' || n, md5('feedback 1')::uuid FROM generate_series(1, \(Self.votes)) AS n",
        "ANALYZE votes",
      ], to: scene.url)
    // Events of the same vote: each is read as another event.
    let lines = (1...Self.events).map { scene.lines[0].replacing(#""vote 1""#, with: #""vote 1, \#($0)""#) }
    let (before, start) = (try await votesRead(scene.url), ContinuousClock.now)

    let function = try StreamedFunction("vote-cast", environment: BatchRun.environment(scene.url, .oneAtATime))
    let answers = try await function.answers(to: lines)
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    try function.close()
    _ = try await function.rest()

    #expect(Set(lines).count == Self.events)
    #expect(answers.allSatisfy { $0.contains(#""exit":0"#) })
    let read = try await votesRead(scene.url) - before
    #expect(read >= Self.votes)
    #expect(read <= (seconds + 2) * (Self.votes + 1_000))
  }

  /// How many rows of votes all sessions have read; this one has read none.
  private func votesRead(_ url: String) async throws -> Int {
    try await BatchRun.connected(to: url) { database in
      try await database.waitForEnd()
      return try await database.query(
        """
        SELECT (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'votes')
          + (SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes WHERE relname = 'votes') AS read
        """
      ).only().decode("read")
    }
  }
}
