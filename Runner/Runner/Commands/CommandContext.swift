import CLI
import FunctionKit
import Manifest
import Postgres

/// What most commands begin with: their project, how they answer, and the way to the database.
struct CommandContext {
  let project: Project
  let answer: Reply

  /// Takes its options and leaves the other words.
  init(_ words: inout Words) throws {
    project = try Project(&words)
    answer = Reply(&words)
  }

  /// For a command about a runner's folder, which `--state-dir` may name.
  init(stateful words: Words) throws {
    var words = words
    let state = try words.value("--state-dir")
    var project = try Project(&words)
    if let state { project.state = Project.absolute(state) }
    self.project = project
    answer = Reply(&words)
    try words.finish()
  }

  /// For a command that has no other words.
  init(_ words: Words) throws {
    var words = words
    try self.init(&words)
    try words.finish()
  }

  /// Lends a connection to the project's database, or to the one given, and closes it.
  ///
  /// - Throws: a sentence where the database does not answer or is not the runner's.
  func withDatabase<Answer>(
    url: String? = nil, named application: String = "runner command", statementTimeout: Duration? = .seconds(30),
    _ body: (Connection) async throws -> Answer
  ) async throws -> Answer {
    let database = Connection(
      url: try url ?? project.databaseURL(), applicationName: application,
      statementTimeout: statementTimeout)
    let answer: Answer
    do {
      answer = try await body(database)
    } catch {
      await database.close()
      throw FunctionError(ofDatabase: error) ?? error
    }
    await database.close()
    return answer
  }
}

/// How a command answers.
struct Reply {
  /// Whether a program reads the answer.
  let json: Bool

  init(_ words: inout Words) {
    json = words.flag("--json")
  }

  /// Answers a person with text, and a program with JSON.
  @discardableResult
  func callAsFunction(_ value: some Encodable, text: @autoclosure () -> String) throws -> Int32 {
    try self(json: JSONCoding.encode(value), text: text())
  }

  /// Answers a person with text, and a program with a document.
  @discardableResult
  func callAsFunction(
    json document: @autoclosure () throws -> RawJSON, text: @autoclosure () -> String
  ) rethrows -> Int32 {
    Console.say(json ? String(decoding: try document().bytes, as: UTF8.self) : text())
  }
}

extension Project {
  /// Takes the option that every command has.
  init(_ words: inout Words) throws {
    try self.init(directory: words.value("--project"))
  }

  /// The function that the next word names.
  func function(_ words: inout Words) throws(FunctionError) -> FunctionEntry {
    guard let name = words.word() else { throw FunctionError(.usage, "Which function? See runner list.") }
    guard let entry = manifest[name] else { throw manifest.lacks(name) }
    return entry
  }
}

extension FunctionError {
  /// What is to be done about a database that is away or lacks the runner's tables.
  fileprivate init?(ofDatabase error: any Error) {
    guard let error = error as? PostgresError else { return nil }
    let isOurs = error.message.contains("runner")
    switch (error.code, error.sqlState) {
    case (.connection, _):
      self.init(.unavailable, "The database does not answer; is the runner up? (\(error))", cause: error)
    case (_, "3F000"), (_, "42P01"),
      (_, "42883") where isOurs:
      self.init(
        .misconfigured, "The database is not up to date: run \"runner migrate\" first. (\(error))", cause: error)
    default: return nil
    }
  }
}
