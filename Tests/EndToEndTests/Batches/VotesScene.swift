import Postgres
import TestSupport

/// Votes for feedbacks, a batch full, with a device for each submitter.
struct VotesScene {
  static let count = 64

  /// A database with all rows, to which nobody is connected.
  let url: String
  /// An event for each vote.
  let lines: [String]

  /// - Parameter people: how many people the feedbacks belong to in turn; votes of one person's wait for each other.
  init(people: Int = count) async throws {
    url = try await BatchRun.emptyDatabase()
    try await BatchRun.write(Self.rows(people), to: url)
    lines = try await BatchRun.connected(to: url) { database in
      try await database.query(
        """
        SELECT jsonb_build_object('specversion', '1.0', 'id', 'vote ' || n, 'source', '/db',
          'type', 'dev.push-functions.row', 'now', '2026-03-02T12:00:00Z',
          'data', jsonb_build_object('type', 'INSERT', 'table', 'votes', 'schema', 'public', 'old_record', NULL,
            'record', jsonb_build_object('id', md5('vote ' || n)::uuid, 'feedback_id', md5('feedback ' || n)::uuid))
          )::text AS line
        FROM generate_series(1, \(Self.count)) AS n ORDER BY n
        """
      ).decode("line")
    }
  }

  /// The id of a person, as SQL.
  static func person(_ number: Int) -> String { "md5('person \(number)')::uuid" }

  /// The database as it is when nothing has gone wrong.
  func undisturbed() async throws -> (answers: [String], image: DatabaseImage) {
    let copy = try await TemporaryPostgres.database(like: url)
    let function = try StreamedFunction("vote-cast", environment: BatchRun.environment(copy, .oneAtATime))
    var answers: [String] = []
    for line in lines { answers += try await function.answers(to: [line]) }
    return (try answers.map { try BatchRun.canonical($0) }, try await image(copy))
  }

  /// The database as it is now.
  func image(_ url: String? = nil) async throws -> DatabaseImage {
    try await BatchRun.connected(to: url ?? self.url) { try await DatabaseImage($0) }
  }

  /// Gives lines to a function, those that fail again and again, and returns their answers.
  ///
  /// - Parameter onFailure: is called before lines are given again.
  func answers(
    of function: StreamedFunction, to lines: [String], onFailure: (_ round: Int) -> Void = { _ in }
  ) async throws -> [String: String] {
    var (answers, open) = ([String: String](), lines)
    for round in 1...20 where !open.isEmpty {
      var failed: [String] = []
      for (line, answer) in zip(open, try await function.answers(to: open)) {
        if answer.contains(#""exit":0"#) { answers[line] = try BatchRun.canonical(answer) } else { failed.append(line) }
      }
      open = failed
      if !open.isEmpty { onFailure(round) }
    }
    return answers
  }

  private static func rows(_ people: Int) -> [String] {
    let (time, numbers) = ("'2026-03-02T12:00:00Z'", "generate_series(1, \(count)) AS n")
    return [
      """
      INSERT INTO users (id, email, name, is_email_verified, created_at, updated_at)
      SELECT md5('person ' || n)::uuid, n || '@example.com', 'Person', true, \(time), \(time)
      FROM generate_series(0, \(people)) AS n
      """,
      """
      INSERT INTO device_tokens (id, user_id, token, platform, created_at, registered_at)
      SELECT md5('device ' || n)::uuid, md5('person ' || n)::uuid, 'device ' || n, 'iOS', \(time), \(time)
      FROM generate_series(1, \(people)) AS n
      """,
      "INSERT INTO projects (id, name, api_key, owner_id) VALUES (md5('project')::uuid, 'App', 'key', \(person(0)))",
      """
      INSERT INTO feedbacks (id, title, user_id, project_id, created_at, updated_at)
      SELECT md5('feedback ' || n)::uuid, 'Idea ' || n, md5('person ' || (n - 1) % \(people) + 1)::uuid, md5('project')::uuid,
        \(time), \(time)
      FROM \(numbers)
      """,
      """
      INSERT INTO votes (id, user_id, feedback_id, created_at)
      SELECT md5('vote ' || n)::uuid, 'sdk-' || n, md5('feedback ' || n)::uuid, \(time) FROM \(numbers)
      """,
    ]
  }
}
