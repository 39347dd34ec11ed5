import FunctionKit

/// `runner events`: what waits, what became of it, and what to do about it.
struct EventsCommand {
  private enum Action: String, CaseIterable {
    case list, show, why, dead, replay, purge
  }

  private let action: Action
  private let words: Words

  init(_ words: Words) throws {
    var words = words
    guard let name = words.verb() else {
      throw FunctionError(.usage, "What about the events? See runner events --help.")
    }
    guard let action = Action(rawValue: name) else {
      let near = Suggestion.phrase(for: name, among: Action.allCases.map(\.rawValue))
      throw FunctionError(.usage, "There is no command events \(name);\(near) see runner events --help.")
    }
    (self.action, self.words) = (action, words)
  }

  func run() async throws -> Int32 {
    switch action {
    case .list: try await ListEventsCommand(words).run()
    case .show: try await ShowEventCommand(words).run()
    case .why: try await WhyCommand(words).run()
    case .dead: try await ListDeadLettersCommand(words).run()
    case .replay: try await ReplayCommand(words).run()
    case .purge: try await PurgeCommand(words).run()
    }
  }
}
