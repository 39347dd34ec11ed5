import FunctionKit
import Glibc
import Terminal

/// Plays five real events and shows the pushes that come of them.
@main
struct Demo {
  // Explicitly concurrent, because an async entry point must not depend on its caller's isolation.
  @concurrent static func main() async {
    do throws(DemoError) {
      let words = CommandLine.arguments.dropFirst()
      switch words {
      case ["--help"], ["-h"]: write(help)
      case ["--version"]: write("\(bundleVersion)\n")
      case [], ["--json"]: try await play(asJSON: !words.isEmpty)
      default: throw .usage("Unknown argument \(words.first { $0 != "--json" } ?? "--json"); see --help.")
      }
    } catch {
      FileStream.standardError.write("demo: \(error.sentence)\n")
      exit(error.exitStatus)
    }
  }

  private static func play(asJSON: Bool) async throws(DemoError) {
    let environment = Environment.current()
    var stage = try Stage(environment)
    guard try await stage.mayHaveDemoPeople() else { throw .people }
    try await stage.set(String(decoding: PackageResources.demo_sql, as: UTF8.self))
    let narrator = Narrator(style: .current())
    var verdict = Verdict()
    for (number, step) in Story(now: try await stage.now()).steps.enumerated() {
      if !asJSON { write(narrator.opening(of: step, number: number + 1, functionURL: stage.functionURL)) }
      try await stage.perform(step)
      let outcome = try await stage.outcome(of: step)
      verdict.add(outcome, of: step)
      write(asJSON ? line(Report(step, outcome)) : narrator.ending(of: outcome))
    }
    await stage.close()
    if let complaint = verdict.complaint { throw .failed(complaint) }
  }

  private static func line(_ report: Report) -> String {
    (try? JSONCoding.encode(report)).map { String(decoding: $0.bytes, as: UTF8.self) + "\n" } ?? ""
  }

  private static func write(_ text: String) {
    FileStream.standardOutput.write(text)
  }

  private static let help = """
    Play a story of six events: a feedback, a comment, votes, a status change, a
    proposal and its deadline. Each is an ordinary SQL statement or HTTP call, shown
    with the pushes that come of it and the people not told.

    usage: runner demo [--json]

      --json          one JSON object a step

      --help, --version

    environment: DATABASE_URL, RUNNER_URL, PUSH_EMULATOR_URL, APNS_CA_PATH
    exit: 0 when every step led to a push and somebody was not told, 1 otherwise,
    64 bad usage, 78 misconfigured.

    """
}
