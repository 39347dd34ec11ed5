import CLI
import Documents
import FunctionKit
import Inspection
import Manifest
import Terminal

/// `runner why`: why an event has not run yet, or what became of it.
///
/// A bundle may have a command of this name. It answers what the runner cannot: what a function decided, and why.
enum WhyCommand {
  /// Open, because the bundle's command has options of its own.
  static let spec = CommandSpec(
    "why", "why an event has not run yet, or what became of it",
    [EventChoice.operand.required, EventFilter.function, Reply.option], isOpen: true, run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    guard context.project.manifest.commands.contains(where: { $0.name == "why" }) else {
      return try await Commands.with(EventsWhyCommand.spec).run(arguments.words)
    }
    let others = try ExternalCommand("why", arguments.words)
    guard let subject = others.words.first, !subject.hasPrefix("-") else { return try others.run() }
    let report = try await context.withDatabase { database in
      WhyReport(
        try await WhyFacts.read(
          EventID(subject), function: arguments[EventFilter.function], of: context.project, database))
    }
    let text = report.sentences.map(\.onOneCleanLine).joined(separator: "\n")
    guard report.reason.leavesQuestions else { return try context.answer(report, text: text) }
    if !context.answer.json, report.reason != .unknown || EventID(subject).place != nil {
      TerminalWriter.say("\(text)\n")
    }
    return try others.run()
  }
}

extension WhyReport.Reason {
  /// Whether a function may have decided something: the runner forgets events sooner, and does not know people.
  fileprivate var leavesQuestions: Bool { [.done, .unknown, .uncommitted].contains(self) }
}
