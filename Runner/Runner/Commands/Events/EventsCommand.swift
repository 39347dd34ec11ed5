import CLI
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
    guard let action = try words.verb(as: Action.self) else {
      throw FunctionError(.usage, "What about the events? See runner events --help.")
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
