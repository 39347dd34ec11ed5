import CLI
import FunctionKit
import Manifest
import Schedules

/// `runner schedules`: each subcommand is a type of its own.
struct SchedulesCommand {
  private enum Action: String, CaseIterable {
    case list, next, history, fire, pause, resume
  }

  private let action: Action
  private let arguments: CommandArguments

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    action = try arguments.verb() ?? .list
    self.arguments = arguments
  }

  func run() async throws -> Int32 {
    switch action {
    case .list: try await SchedulesListCommand(arguments).run()
    case .next: try SchedulesNextCommand(arguments).run()
    case .history: try await SchedulesHistoryCommand(arguments).run()
    case .fire: try await SchedulesFireCommand(arguments).run()
    case .pause: try await SchedulesPauseCommand(arguments, pauses: true).run()
    case .resume: try await SchedulesPauseCommand(arguments, pauses: false).run()
    }
  }
}

extension Project {
  /// The schedule that the next word names.
  func schedule(_ arguments: inout CommandArguments) throws -> ScheduleEntry {
    guard let name = arguments.operand() else { throw FunctionError(.usage, "Which schedule? See runner schedules.") }
    return try schedule(name)
  }

  func schedule(_ name: String) throws -> ScheduleEntry {
    let entries = try manifest.schedules()
    guard let entry = entries.first(where: { $0.name == name }) else {
      let near = Suggestion.phrase(for: name, among: entries.map(\.name))
      throw FunctionError(.usage, "There is no schedule \(name);\(near) see runner schedules.")
    }
    return entry
  }
}
