import CLI
import FunctionKit

/// `runner events`: what waits, what became of it, and what to do about it.
struct EventsCommand {
  private enum Action: String, CaseIterable {
    case list, show, why, dead, retry, purge
  }

  private let action: Action
  private let arguments: CommandArguments

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    guard let action = try arguments.verb(as: Action.self) else {
      throw FunctionError(.usage, "What about the events? See runner events --help.")
    }
    (self.action, self.arguments) = (action, arguments)
  }

  func run() async throws -> Int32 {
    switch action {
    case .list: try await ListEventsCommand(arguments).run()
    case .show: try await ShowEventCommand(arguments).run()
    case .why: try await WhyCommand(arguments).run()
    case .dead: try await ListDeadLettersCommand(arguments).run()
    case .retry: try await RetryCommand(arguments).run()
    case .purge: try await PurgeCommand(arguments).run()
    }
  }
}
