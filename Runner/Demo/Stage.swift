import FunctionKit
import HTTPClient
import Postgres

/// The parts of the story's world: the database, the runner's gateway and the phones.
struct Stage: Sendable {
  private let database: Connection
  private let gateway = HTTPClient()
  private let gatewayURL: String
  private var phones: Phones
  private var seen: [String] = []

  /// The time limit of a step, until its last push has arrived.
  static let timeLimit = Duration.seconds(30)

  init(_ environment: Environment) throws(FunctionError) {
    func value(_ name: String) throws(FunctionError) -> String {
      guard let value = environment[name] else {
        throw FunctionError(.misconfigured, "\(name) is not set; start the runner first.")
      }
      return value
    }
    database = Connection(url: try value("DATABASE_URL"), applicationName: "demo")
    gatewayURL = try value("RUNNER_URL")
    phones = Phones(url: try value("PUSH_EMULATOR_URL"), authority: try value("APNS_CA_PATH"))
  }

  /// Whether the database has the story's people or no people.
  func mayHaveDemoPeople() async throws(FunctionError) -> Bool {
    let row = try await query(
      """
      SELECT count(*) FILTER (WHERE ours) = 8 OR count(*) FILTER (WHERE NOT ours) = 0 AS may
      FROM (SELECT id::text LIKE 'a0000000-0000-4000-8000-00000000000_' AS ours FROM users) AS people
      """
    ).first
    return row?["may"] == "t"
  }

  /// Loads the people and their devices, and skips older pushes.
  ///
  /// - Parameter now: the SQL for the present moment.
  mutating func set(_ script: String, now: String) async throws(FunctionError) {
    try await run("SELECT set_config('demo.deadline', (\(now) + interval '21 days')::text, false);\n\(script)")
    try await phones.skipPast()
  }

  /// The SQL for the present moment: the runner's clock, if there is one.
  func now() async throws(FunctionError) -> String {
    let row = try await query("SELECT to_regprocedure('runner.now()') IS NOT NULL AS has_clock").first
    return row?["has_clock"] == "t" ? "runner.now()" : "now()"
  }

  /// The titles of all feedbacks and proposals.
  func titles() async throws(FunctionError) -> Set<String> {
    let rows = try await query("SELECT title FROM feedbacks UNION SELECT title FROM event_proposals")
    return Set(rows.compactMap { $0["title"] })
  }

  func perform(_ step: Step) async throws(FunctionError) {
    for action in step.actions {
      switch action {
      case .sql(let text): try await run(text)
      case .call(let function, let body): try await call(function, body)
      }
    }
  }

  /// Waits until the step's events are handled and their pushes have arrived, or until its time is over.
  mutating func outcome(of step: Step) async throws(FunctionError) -> Outcome {
    let deadline = ContinuousClock.now + Self.timeLimit
    while true {
      let outcome = Outcome(try await traces(of: step), received: phones.received)
      if outcome.isComplete(events: step.events) || ContinuousClock.now > deadline {
        seen += outcome.eventIDs
        return outcome
      }
      try await phones.receive()
      _ = try await query("SELECT pg_sleep(0.02)")
    }
  }

  func close() async {
    await database.close()
  }

  private func traces(of step: Step) async throws(FunctionError) -> [Trace] {
    let rows = try await query(Trace.query(step, without: seen))
    do throws(PostgresError) {
      return try rows.map { row throws(PostgresError) in try Trace(row) }
    } catch {
      throw FunctionError(.failed, "The decisions cannot be read: \(error).")
    }
  }

  private func call(_ function: String, _ body: String) async throws(FunctionError) {
    let call = HTTPCall(
      .post, functionURL(function), headers: [("content-type", "application/json")], body: Array(body.utf8))
    let answer: HTTPAnswer
    do throws(HTTPClientError) {
      answer = try await gateway.send(call)
    } catch {
      throw FunctionError(.failed, "The runner does not answer (\(error)); is it running?")
    }
    guard (200...299).contains(answer.status) else {
      throw FunctionError(.failed, "\(function) answered with status \(answer.status): \(answer.text.prefix(200))")
    }
  }

  func functionURL(_ function: String) -> String { "\(gatewayURL)/functions/v1/\(function)" }

  private func run(_ script: String) async throws(FunctionError) {
    do throws(PostgresError) {
      try await database.script(script)
    } catch {
      throw FunctionError(.failed, "The database did not do it: \(error.debugDescription)")
    }
  }

  private func query(_ sql: SQL) async throws(FunctionError) -> Rows {
    do throws(PostgresError) {
      return try await database.query(sql)
    } catch {
      throw FunctionError(.failed, "The database did not answer: \(error.debugDescription)")
    }
  }
}
