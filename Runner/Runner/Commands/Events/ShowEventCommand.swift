import CLI
import Documents
import FunctionKit
import Inspection
import Manifest
import Terminal

/// `runner events show`: all that is known of one event.
enum ShowEventCommand {
  static let spec = CommandSpec(
    "show", "all of one event: its state, its attempts and its body",
    [EventChoice.operand.required, EventFilter.function, Reply.option], run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let choice = try EventChoice(arguments)
    return try await choice.withEvent { event, catalogue in
      let attempts = try await catalogue.attempts(of: event)
      let isKnown = catalogue.manifest[event.function] != nil
      let document = isKnown ? try await catalogue.document(of: event) : nil
      return try choice.context.answer(
        json: event.document(attempts, body: document),
        text: [facts(event), table(attempts), body(document, isKnown)].joined(separator: "\n\n"))
    }
  }

  private static func facts(_ event: EventSummary) -> String {
    let facts: [(String, String?)] = [
      ("id", event.id), ("function", event.function), ("kind", event.kind), ("key", event.key),
      ("at", TimeText.of(event.at)), ("state", event.state.rawValue), ("attempts", "\(event.attempts)"),
      ("crashes", event.crashes > 0 ? "\(event.crashes)" : nil), ("code", event.code),
      ("next try", event.runAt.map(TimeText.of)), ("ended at", event.endedAt.map(TimeText.of)),
      ("error", event.state.isEnded ? nil : event.error),
    ]
    return facts.compactMap { name, value in value.map { "\(name.padded(to: 10))\($0.indented(by: 10))" } }
      .joined(separator: "\n")
  }

  private static func table(_ attempts: [EventAttempt]) -> String {
    guard !attempts.isEmpty else { return "No attempt has ended that the history knows of." }
    var table = Table(["attempt", "ended at", "code", "exit", "took", "error"], flexible: ["code", "error"])
    for (index, attempt) in attempts.enumerated() {
      table.add([
        "\(index + 1)", TimeText.of(attempt.endedAt), attempt.code, attempt.exit.map(String.init) ?? "",
        TimeText.length(attempt.milliseconds / 1_000), attempt.error?.lastLine ?? "",
      ])
    }
    return table.text
  }

  private static func body(_ document: RawJSON?, _ isKnown: Bool) -> String {
    guard isKnown else {
      return "functions.json has no such function, so nobody knows what to redact in the body."
    }
    return document?.pretty ?? "The event itself is no longer kept."
  }
}

extension String {
  /// The last line that is not empty.
  fileprivate var lastLine: String { split(whereSeparator: \.isNewline).last.map(String.init) ?? "" }

  /// The lines below each other, all but the first indented, without control characters.
  fileprivate func indented(by columns: Int) -> String {
    split(whereSeparator: \.isNewline).map { String($0).onOneCleanLine }
      .joined(separator: "\n" + String(repeating: " ", count: columns))
  }
}
