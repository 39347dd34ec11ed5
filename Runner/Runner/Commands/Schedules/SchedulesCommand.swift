import FunctionKit
import Postgres

/// `runner schedules`: each of its words is a command of its own.
struct SchedulesCommand {
  private let verb: String
  private let words: Words

  init(_ words: Words) throws {
    var words = words
    // It may stand before the verb, and its value is no verb.
    let project = try words.value("--project").map { ["--project", $0] } ?? []
    verb = words.word() ?? "list"
    self.words = Words(project + words.all())
  }

  func run() async throws -> Int32 {
    switch verb {
    case "list": return try await SchedulesListCommand(words).run()
    case "next": return try SchedulesNextCommand(words).run()
    case "history": return try await SchedulesHistoryCommand(words).run()
    case "fire": return try await SchedulesFireCommand(words).run()
    case "pause": return try await SchedulesPauseCommand(words, pauses: true).run()
    case "resume": return try await SchedulesPauseCommand(words, pauses: false).run()
    default:
      throw FunctionError(
        .usage, "Schedules know list, next, history, fire, pause and resume, no \(verb).")
    }
  }
}

extension Project {
  /// The schedule of that name.
  func schedule(_ name: String) throws -> ScheduleEntry {
    let entries = try manifest.schedules()
    guard let entry = entries.first(where: { $0.name == name }) else {
      let names = entries.map(\.name).joined(separator: ", ")
      throw FunctionError(.usage, "There is no schedule \(name)\(names.isEmpty ? "" : "; there are \(names)").")
    }
    return entry
  }

  /// A connection to the database that a command looks at.
  func database() throws(FunctionError) -> Connection {
    Connection(url: try Environment.current().databaseURL(in: self), applicationName: "runner schedules")
  }
}
