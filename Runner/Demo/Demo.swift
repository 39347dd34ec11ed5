import CDemo
import CLI
import FunctionKit
import Glibc
import Terminal

/// Plays six real events and shows the pushes that come of them.
@main
struct Demo {
  // Explicitly concurrent, because an async entry point must not depend on its caller's isolation.
  @concurrent static func main() async {
    await Program("demo", commands: [Demo.spec]).main()
  }

  /// The statements that make the people and projects of the story.
  static let people = String(cString: shim_demo())

  static let spec = CommandSpec(
    "demo", "play the story", [Reply.option.saying("one JSON object a step")],
    notes: """
      The story has six events: a feedback, a comment, votes, a status change, a
      proposal and its deadline. Each is an ordinary SQL statement or HTTP call, shown
      with its pushes and the people who get none.
      environment: DATABASE_URL, RUNNER_URL, PUSH_EMULATOR_URL, APNS_CA_PATH
      exit: 0 when every step led to a push and somebody was not told, 64 bad usage,
      70 otherwise, 78 misconfigured.
      """, run: { try await Self(asJSON: $0[Reply.option]).run() })

  private let asJSON: Bool

  private func run() async throws -> Int32 {
    var stage = try Stage(.current())
    guard try await stage.mayHaveDemoPeople() else {
      throw FunctionError(
        .misconfigured, "The database has people of its own: the story's are not put among them, and it is not played.")
    }
    let now = try await stage.now()
    try await stage.set(Self.people, now: now)
    let narrator = Narrator(style: .current())
    var verdict = Verdict()
    for (number, step) in Story(now: now, besides: try await stage.titles()).steps.enumerated() {
      if !asJSON { write(narrator.opening(of: step, number: number + 1, functionURL: stage.functionURL)) }
      try await stage.perform(step)
      let outcome = try await stage.outcome(of: step)
      verdict.add(outcome, of: step)
      write(asJSON ? try line(Report(step, outcome)) : narrator.ending(of: outcome))
    }
    await stage.close()
    if let complaint = verdict.complaint { throw FunctionError(.failed, complaint) }
    return 0
  }

  private func line(_ report: Report) throws -> String {
    try JSONCoding.encode(report).printable + "\n"
  }

  private func write(_ text: String) {
    TerminalWriter.write(text, to: STDOUT_FILENO)
  }
}
