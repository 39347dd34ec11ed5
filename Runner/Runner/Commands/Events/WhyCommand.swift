import CLI
import Documents
import FunctionKit
import Inspection
import Manifest
import Terminal

/// `runner why`: why an event has not run yet, or what became of it.
///
/// A bundle may have a command of this name. It answers what the runner cannot: what a function decided, and why.
struct WhyCommand {
  private let arguments: CommandArguments
  private let project: Project

  init(_ arguments: CommandArguments) throws {
    var rest = arguments
    self.arguments = arguments
    project = try Project(&rest)
  }

  func run() async throws -> Int32 {
    guard project.manifest.commands.contains(where: { $0.name == "why" }) else {
      return try await EventsWhyCommand(arguments).run()
    }
    var rest = arguments
    _ = try Project(&rest)
    guard let subject = rest.subject() else { return try ExternalCommand("why", arguments).run() }
    return try await answer(EventID(subject), rest)
  }

  private func answer(_ id: EventID, _ rest: CommandArguments) async throws -> Int32 {
    var rest = rest
    let context = try CommandContext(&rest)
    let function = try rest.value("--function")
    let report = try await context.withDatabase { database in
      WhyReport(try await WhyFacts.read(id, function: function, of: project, database))
    }
    let text = report.sentences.map(\.onOneCleanLine).joined(separator: "\n")
    guard report.reason.leavesQuestions else { return try context.answer(report, text: text) }
    if !context.answer.json, report.reason != .unknown || id.place != nil { Console.say("\(text)\n") }
    return try ExternalCommand("why", arguments).run()
  }
}

extension WhyReport.Reason {
  /// Whether a function may have decided something: the runner forgets events sooner, and does not know people.
  fileprivate var leavesQuestions: Bool { [.done, .unknown, .uncommitted].contains(self) }
}
