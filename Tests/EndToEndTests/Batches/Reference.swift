import StoreLive

@testable import CommentAdded
@testable import FeedbackCreated
@testable import FunctionKit
@testable import NotificationCreated
@testable import ProposalVoteCast
@testable import StatusChanged
@testable import VoteCast

/// A function that tells of each event in the plainest way, in the tests' own process.
struct Reference: Sendable {
  private let answer: @Sendable (String) async -> String

  /// - Returns: `nil` if the function tells nobody.
  init?(_ function: String, _ environment: Environment) {
    switch function {
    case VoteCast.name: answer = Self.plain(VoteCast.self, environment)
    case CommentAdded.name: answer = Self.plain(CommentAdded.self, environment)
    case FeedbackCreated.name: answer = Self.plain(FeedbackCreated.self, environment)
    case StatusChanged.name: answer = Self.plain(StatusChanged.self, environment)
    case ProposalVoteCast.name: answer = Self.plain(ProposalVoteCast.self, environment)
    case NotificationCreated.name: answer = Self.plain(NotificationCreated.self, environment)
    default: return nil
    }
  }

  /// The answers to lines, one after the other; blank lines have none.
  func answers(to lines: [String]) async -> [String] {
    var answers: [String] = []
    for line in lines where !line.isEmpty { answers.append(await answer(line)) }
    return answers
  }

  private static func plain<F: BatchNotifyingFunction>(
    _ type: F.Type, _ environment: Environment
  ) -> @Sendable (String) async -> String {
    let invocation = Invocation<PlainFunction<F>>(dryRun: false, environment: environment)
    return { line in
      let answer = await invocation.run(Array(line.utf8)[...], eventID: nil).line
      return String(decoding: answer.dropLast(), as: UTF8.self)
    }
  }
}

private struct PlainFunction<F: BatchNotifyingFunction>: Function {
  typealias Payload = F.Payload

  static var name: String { F.name }
  static var summary: String { F.summary }
  let function: F

  static func live(_ environment: Environment) async throws -> Self { Self(function: try await F.live(environment)) }

  static func payload(_ data: RawJSON) throws(FunctionError) -> F.Payload { try F.payload(data) }

  func handle(_ event: Event<F.Payload>, _ context: Context) async throws -> RawJSON {
    try await function.store.tellPlainly(try function.request(event, context)).json
  }
}
