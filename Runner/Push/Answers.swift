import CLI
import FunctionKit

/// `push --stream`: answers what the console's pages ask, a line each, with one session of the database.
struct Answers: Function {
  /// The words that would stand behind `push` on a command line.
  struct Question: Decodable {
    var words: [String]
  }

  static let name = "push"
  static let summary = "Answers the questions of pages."
  /// Nobody waits for an answer that is late.
  static let endsEarly = true

  private static let program = Push.program([WhyCommand.spec, PeopleCommand.spec, PhonesCommand.spec])

  static func live(_ environment: Environment) -> Answers { Answers() }

  func handle(_ event: Event<Question>, _ context: Context) async throws -> RawJSON {
    try await Self.program.document(event.data.words)
  }
}
