import CLI
import FunctionKit
import Manifest
import Queue

/// `runner schedules`: each of its words is a command of its own.
struct SchedulesCommand {
  private enum Action: String, CaseIterable {
    case list, next, history, fire, pause, resume
  }

  private let action: Action
  private let words: Words

  init(_ words: Words) throws {
    var words = words
    action = try words.verb() ?? .list
    self.words = words
  }

  func run() async throws -> Int32 {
    switch action {
    case .list: try await SchedulesListCommand(words).run()
    case .next: try SchedulesNextCommand(words).run()
    case .history: try await SchedulesHistoryCommand(words).run()
    case .fire: try await SchedulesFireCommand(words).run()
    case .pause: try await SchedulesPauseCommand(words, pauses: true).run()
    case .resume: try await SchedulesPauseCommand(words, pauses: false).run()
    }
  }
}

extension Project {
  /// The schedule that the next word names.
  func schedule(_ words: inout Words) throws -> ScheduleEntry {
    guard let name = words.word() else { throw FunctionError(.usage, "Which schedule? See runner schedules.") }
    return try schedule(name)
  }

  /// The schedule of that name.
  func schedule(_ name: String) throws -> ScheduleEntry {
    let entries = try manifest.schedules()
    guard let entry = entries.first(where: { $0.name == name }) else {
      let near = Suggestion.phrase(for: name, among: entries.map(\.name))
      throw FunctionError(.usage, "There is no schedule \(name);\(near) see runner schedules.")
    }
    return entry
  }
}
