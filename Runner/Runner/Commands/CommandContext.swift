import CLI
import FunctionKit
import Manifest
import Postgres

/// The needs of most commands: the project, the form of the answer, and the database.
struct CommandContext {
  let project: Project
  let answer: Reply

  init(_ arguments: CommandArguments) throws {
    project = try Project(arguments)
    answer = Reply(arguments)
  }

  /// Opens a connection to the given database, else to the project's, and closes it after the body.
  ///
  /// - Throws: a sentence if the database does not answer or lacks the runner's tables.
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
      throw FunctionError(ofDatabase: error, isOwn: url == nil && project.hasOwnDatabase) ?? error
    }
    await database.close()
    return answer
  }
}

extension Project {
  static let folder = Option.text("--project", "DIR", "the folder of functions.json, else the nearest one upward")
    .common
  static let stateFolder = Option.text(
    "--state-dir", "DIR", "the folder that the runner was started with (.runner)"
  ).common

  /// Reads the options that every command about a project has.
  init(_ arguments: CommandArguments) throws {
    try self.init(directory: arguments[Self.folder])
    if let state = arguments[Self.stateFolder] { self.state = Project.absolute(state) }
  }

  /// The function that the first operand names.
  func function(_ arguments: CommandArguments) throws(FunctionError) -> FunctionEntry {
    guard let name = arguments.operand else { throw FunctionError(.usage, "Which function? See runner list.") }
    guard let entry = manifest[name] else { throw manifest.lacks(name) }
    return entry
  }
}

extension FunctionError {
  /// Says what to do about a database that does not answer or lacks the runner's tables.
  /// - Parameter isOwn: whether it is the runner's own, which ends with it.
  fileprivate init?(ofDatabase error: any Error, isOwn: Bool) {
    guard let error = error as? PostgresError else { return nil }
    let isOurs = error.message.contains("runner")
    switch (error.code, error.sqlState) {
    case (.invalidURL, _):
      self.init(.misconfigured, error.openingFailure, cause: error)
    case (.connection, _) where error.refusal != nil:
      self.init(error.isRefusal ? .misconfigured : .unavailable, error.openingFailure, cause: error)
    case (.connection, _):
      let question = "The database does not answer; is the runner up? (\(error))"
      self.init(.unavailable, isOwn ? question : error.openingFailure, cause: error)
    case (_, "3F000"), (_, "42P01"),
      (_, "42883") where isOurs:
      self.init(
        .misconfigured, "The database is not up to date: run \"runner migrate\" first. (\(error))", cause: error)
    default: return nil
    }
  }
}
