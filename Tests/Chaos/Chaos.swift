import CLI
import Foundation
import FunctionKit
import TestSupport

/// Kills and stops everything while it works, and counts whether anything was lost or told twice.
@main
struct Chaos {
  @concurrent static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let work = Task { try await run(Array(CommandLine.arguments.dropFirst())) }
    let interruption = Interruption(of: work)
    defer { withExtendedLifetime(interruption) {} }
    do {
      exit(try await work.value ? 0 : 1)
    } catch let error as FunctionError {
      exit(TerminalWriter.complain("chaos", error))
    } catch {
      say(work.isCancelled ? "chaos: interrupted" : "chaos: \(error)")
      exit(2)
    }
  }

  /// - Returns: whether every figure is 0.
  private static func run(_ words: [String]) async throws -> Bool {
    guard !CommandSpec.isAskedForHelp(words) else {
      print(Options.spec.page, terminator: "")
      return true
    }
    let options = try Options(words, seed: .random(in: 1...999_999))
    guard let bytes = FileManager.default.contents(atPath: "functions.json") else {
      throw ChaosError("There is no functions.json here; start this from the project's folder.")
    }
    let bundle = try RawJSON(validating: Array(bytes)[...])
    let faults = options.faults.filter { $0.obstacle == nil }
    let leftOut = options.faults.compactMap { fault in fault.obstacle.map { "\(fault.rawValue) (\($0))" } }
    say("Seed \(options.seed)")
    if !leftOut.isEmpty { say("Left out: \(leftOut.joined(separator: ", "))") }
    var results: [RoundResult] = []
    for number in options.numbers {
      let plan = Plan(seed: options.seed, round: number, faults: faults)
      let round = Round(plan: plan, seconds: options.seconds, prepares: options.prepares, kept: options.kept)
      let start = ContinuousClock.now
      let result: RoundResult
      do { result = try await round.play(bundle) } catch  where !Task.isCancelled {
        result = RoundResult(plan, failure: error)
      }
      results.append(result)
      say(
        "Round \(number): \(result.isRight ? "right" : "WRONG") after \((ContinuousClock.now - start).components.seconds) s"
      )
    }
    let report = Report(results, leftOut: leftOut)
    print(options.isJSON ? try report.json : report.text)
    return report.isRight
  }

  /// Writes to stderr, because stdout is for the report.
  private static func say(_ sentence: String) {
    FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  }
}
