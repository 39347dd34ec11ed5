import Foundation
import FunctionKit
import Postgres
import TestSupport

/// The answers and rows that a function has written.
struct BatchRun {
  let answers: [String]
  let image: DatabaseImage

  /// How lines are given to a function.
  enum Way {
    /// To one that tells in the plainest way; to the function itself if it tells nobody.
    case plainly
    case oneAtATime, inBatches
  }

  /// An empty database with the apps' tables.
  static func emptyDatabase() async throws -> String {
    try await TemporaryPostgres.database(
      migrated: { url in
        try await connected(to: url) { database in
          for migration in Schema.migrations { try await database.script(migration.sql) }
        }
      }, named: "batches")
  }

  /// Equal databases.
  static func databases(_ count: Int, _ setUp: [String]) async throws -> [String] {
    let url = try await emptyDatabase()
    try await write(setUp, to: url)
    var urls = [url]
    while urls.count < count { urls.append(try await TemporaryPostgres.database(like: url)) }
    return urls
  }

  static func write(_ statements: [String], to url: String) async throws {
    try await connected(to: url) { try await $0.script(statements.joined(separator: ";\n")) }
  }

  static func connected<Answer: Sendable>(
    to url: String, _ body: (Connection) async throws -> Answer
  ) async throws -> Answer {
    let database = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
    let result: Result<Answer, any Error>
    do { result = .success(try await body(database)) } catch { result = .failure(error) }
    await database.close()
    return try result.get()
  }

  /// The environment of a function; the time is that of its events.
  static func environment(_ url: String, _ way: Way) -> [String: String] {
    let given = ["DATABASE_URL": url, "PUSH_FUNCTION_CLOCK": "event"]
    return way == .inBatches ? given.merging(["PUSH_FUNCTION_BATCH": "64"]) { $1 } : given
  }

  /// Carries a plan out on a database that is set up.
  init(_ plan: BatchPlan, on url: String, _ way: Way) async throws {
    let environment = Self.environment(url, way)
    let reference = way == .plainly ? Reference(plan.function, Environment(environment)) : nil
    let function = try StreamedFunction(plan.function, environment: environment)
    var answers: [String] = []
    for chunk in plan.chunks {
      if !chunk.sql.isEmpty { try await Self.write(chunk.sql, to: url) }
      if let reference {
        answers += await reference.answers(to: chunk.lines)
      } else if way == .inBatches {
        answers += try await function.answers(to: chunk.lines)
      } else {
        for line in chunk.lines { answers += try await function.answers(to: [line]) }
      }
      if let time = chunk.release { try await Self.release(at: time, url) }
    }
    self.answers = try zip(plan.lines, answers).map { line, answer in
      // A line without an id gets a random one.
      try Self.canonical(answer, without: line.contains("specversion") ? nil : "id")
    }
    image = try await Self.connected(to: url) { try await DatabaseImage($0) }
  }

  /// The answers beside the lines that they belong to, and the rows, where they differ.
  func differences(from other: BatchRun, in plan: BatchPlan) -> [String] {
    let answers = zip(plan.lines, zip(answers, other.answers)).filter { $0.1.0 != $0.1.1 }
    let texts = answers.map { line, answers in
      "answer to \(line.prefix(300))\n    should be: \(answers.0)\n    but is:    \(answers.1)"
    }
    return texts.prefix(5) + image.differences(from: other.image)
  }

  /// An answer with its members in order.
  static func canonical(_ answer: String, without member: String? = nil) throws -> String {
    var document = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any] ?? [:]
    if let member { document[member] = nil }
    return String(decoding: try JSONSerialization.data(withJSONObject: document, options: .sortedKeys), as: UTF8.self)
  }

  /// Lets out what waits no longer, as the runner's signal does.
  private static func release(at time: Date, _ url: String) async throws {
    let event = """
      {"specversion":"1.0","id":"release","source":"/db","type":"dev.push-functions.notify","now":"\(RFC3339.string(time))"}
      """
    let outcome = try await BuiltExecutables.run(
      "release-held", stdin: event, environment: environment(url, .oneAtATime))
    guard outcome.exit == 0 else { throw ProgramFailure(description: outcome.stdout + outcome.stderr) }
  }
}
