import FoundationEssentials
import FunctionKit
import Postgres
import Queue

/// Moves the clock from one due instant to the next, and waits each time until the runners have done what was due.
struct ClockDriver {
  /// Longer than a function may run, which is a quarter of an hour.
  static let timeLimit = Duration.seconds(1_000)

  let database: Connection
  private let listening: Connection
  private let name = RandomID.make()
  private var asked = 0
  /// How much each runner had done in all when it last said that it was idle.
  private var done: [Int: Int] = [:]
  /// Everything due until then has been done, or cannot be: its function is paused or missing.
  var settled = Date.distantPast
  /// How many ticks of each schedule are rehearsed at once; it grows while there is nothing to do.
  var stride = Self.leastStride

  /// - Parameter listening: a second connection, which listens for the runners' answers.
  init(database: Connection, listening: Connection) {
    (self.database, self.listening) = (database, listening)
  }

  /// Waits until everything that is due now has been done.
  mutating func begin() async throws {
    guard try await ListeningRunners.isAny(on: database) else { throw Self.unserved }
    try await listening.listen("runner_answers")
    let partitions: SQL = """
      SELECT count(*) AS free FROM runner.leases
      WHERE (owner IS NULL OR expires_at < clock_timestamp()) AND (grp IN (SELECT grp FROM runner.runners)
        OR NOT EXISTS (SELECT FROM runner.runners))
      """
    let deadline = ContinuousClock.now + .seconds(30)
    while try await database.query(partitions).only().decode("free", as: Int.self) > 0 {
      guard ContinuousClock.now < deadline else {
        throw FunctionError(.unavailable, "The runner does not take over the whole queue; see its log.")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    try await settle(try await ask())
  }

  /// Moves the clock to what is due next, but not beyond `end`, and waits until it is done; `false` if nothing was due
  /// and `end` is reached.
  mutating func step(to end: Date) async throws -> Bool {
    let question = nextQuestion()
    let row = try await database.query(
      """
      WITH due AS (
        SELECT min(at) AS at FROM (
          SELECT min(next_at) AS at FROM runner.schedules WHERE paused_at IS NULL AND next_at > \(settled)
          UNION ALL SELECT min(run_at) FROM runner.retries WHERE run_at > \(settled)
          UNION ALL SELECT min(at) FROM runner.wakeups WHERE at > \(settled)
        ) AS d
      ), moved AS (
        UPDATE runner.clock SET "offset" = greatest("offset",
          make_interval(secs => extract(epoch FROM least(due.at, \(end)) - clock_timestamp())::float8))
        FROM due RETURNING clock_timestamp() + "offset" AS now, due.at <= \(end) AS is_due
      )
      SELECT moved.now, coalesce(moved.is_due, false) AS is_due, s.holders,
        \(ControlWord.clock.notify), \(ControlWord.idle(question).notify)
      FROM moved, (\(ListeningRunners.holders)) AS s
      """
    ).only()
    try await settle(
      Asked(question: question, now: try row.decode("now"), holders: try row.decode("holders", as: [Int].self)))
    return try row.decode("is_due")
  }

  /// Whether a retry or a wake-up is still to come.
  func isAnythingAhead() async throws(PostgresError) -> Bool {
    try await database.query(
      """
      SELECT EXISTS (SELECT 1 FROM runner.retries WHERE run_at > \(settled))
        OR EXISTS (SELECT 1 FROM runner.wakeups WHERE at > \(settled)) AS ahead
      """
    ).only().decode("ahead")
  }

  private struct Asked {
    var question: String
    var now: Date
    var holders: [Int]
  }

  private static var unserved: FunctionError {
    FunctionError(.unavailable, "No runner serves this database: start one first, with runner serve.")
  }

  private mutating func nextQuestion() -> String {
    asked += 1
    return "\(name)/\(asked)"
  }

  private mutating func ask(_ question: String? = nil) async throws -> Asked {
    let question = question ?? nextQuestion()
    let row = try await database.query(
      """
      SELECT runner.now() AS now, s.holders, \(ControlWord.idle(question).notify)
      FROM (\(ListeningRunners.holders)) AS s
      """
    ).only()
    return Asked(question: question, now: try row.decode("now"), holders: try row.decode("holders", as: [Int].self))
  }

  /// Asks until every runner is idle and none has done anything since the question before.
  ///
  /// One runner's work may make work for another, and a function's signals come after its result.
  private mutating func settle(_ first: Asked) async throws {
    var asked = first
    var answers = try await self.answers(to: asked)
    while answers != done {
      done = answers
      asked = try await ask()
      answers = try await self.answers(to: asked)
    }
    settled = asked.now
  }

  private mutating func answers(to asked: Asked) async throws -> [Int: Int] {
    var (answers, holders): ([Int: Int], [Int]) = ([:], asked.holders)
    let deadline = ContinuousClock.now + Self.timeLimit
    while true {
      guard !holders.isEmpty else { throw Self.unserved }
      guard holders.contains(where: { answers[$0] == nil }) else { return answers }
      guard ContinuousClock.now < deadline else {
        throw FunctionError(.unavailable, "A function still runs after \(Self.timeLimit.components.seconds) s.")
      }
      let heard = try await listening.notifications(waitingUpTo: .seconds(1))
      for words in heard.map({ $0.payload.split(separator: " ") }) where words.count == 3 && words[0] == asked.question
      {
        if let holder = Int(words[1]) { answers[holder] = Int(words[2]) }
      }
      // A runner may have gone, or the answer was lost with a connection.
      if heard.isEmpty { holders = try await ask(asked.question).holders }
    }
  }
}
