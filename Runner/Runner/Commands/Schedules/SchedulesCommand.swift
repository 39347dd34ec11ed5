import CLI
import FunctionKit
import Manifest
import Queue

/// `runner schedules`: what is due when, and what to do about it.
enum SchedulesCommand {
  static let name = Operand("NAME", "the function's; NAME-1, NAME-2 where it has several schedules")
    .offering(.schedules)
  /// The text of `--count` in the one table of help.
  static let counted = "how many (next 5, history 20)"

  static let spec = CommandSpec(
    "schedules", "list, fire, pause and resume schedules: what is due when", [Reply.option],
    verbs: [
      SchedulesListCommand.spec, SchedulesNextCommand.spec, SchedulesHistoryCommand.spec, SchedulesFireCommand.spec,
      SchedulesPauseCommand.pause, SchedulesPauseCommand.resume,
    ],
    notes: "INSTANT is 2026-11-29T09:00:00Z, '2026-11-29 09:00' or 2026-11-29.", run: SchedulesListCommand.run)
}

extension Project {
  /// The schedule that the first operand names.
  func schedule(_ arguments: CommandArguments) throws -> ScheduleEntry {
    guard let name = arguments.operand else { throw FunctionError(.usage, "Which schedule? See runner schedules.") }
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
