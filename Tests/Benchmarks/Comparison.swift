import Foundation
import FunctionKit
import Terminal
import TestSupport

/// Today's benchmark beside an earlier commit's: both measure the same parts, in turns, so that everything else on the
/// machine affects both alike.
struct Comparison {
  /// The path of the earlier commit's program.
  let before: String
  /// The path of today's program.
  let now: String
  let effort: Effort
  /// How often each of both measures each part.
  let turns: Int

  /// Measures parts, one after the other.
  ///
  /// - Parameter say: is told what begins.
  /// - Returns: what both have measured, and what could not be, a sentence each.
  func measure(_ parts: [String], say: (String) -> Void) async throws -> ComparisonReport {
    var measured: [Measurement: Turns] = [:]
    var order: [Measurement] = []
    var failures: [String] = []
    for part in parts {
      do {
        for turn in 1...turns {
          // Each begins every second turn: what warms up, fills or tires favours neither.
          for isNow in turn.isMultiple(of: 2) ? [true, false] : [false, true] {
            say("Measuring \(part), turn \(turn) of \(turns), \(isNow ? "now" : "before")")
            for (measurement, value) in try await findings(part, by: isNow ? now : before) {
              if measured[measurement] == nil { order.append(measurement) }
              measured[measurement, default: Turns()].add(value, isNow: isNow)
            }
          }
        }
      } catch  where !Task.isCancelled {
        failures.append("\(part) could not be compared: \(error)".onOneCleanLine)
      }
    }
    return ComparisonReport(order.map { ($0, measured[$0] ?? Turns()) }, failures)
  }

  private func findings(_ part: String, by program: String) async throws -> [(Measurement, Double)] {
    var environment = ProcessInfo.processInfo.environment
    // Each starts the programs beside it.
    environment["PUSH_FUNCTIONS_PRODUCTS"] = nil
    // And reads the functions.json of the checkout in which it was built: the other's has functions that it cannot start.
    let checkout = program.ranges(of: "/.build/").first.map { program[..<$0.lowerBound] } ?? "."
    let outcome = try await BuiltExecutables.run(
      "/usr/bin/env", ["-C", String(checkout), program, "--json"] + effort.words + [part], environment: environment,
      timeout: .seconds(3_600))
    // 1 says that a limit was missed: the figures are there.
    guard outcome.exit == 0 || outcome.exit == 1,
      let answer = try? JSONDecoder().decode(Answer.self, from: Data(outcome.stdout.utf8))
    else {
      let reason = outcome.stderr.split(separator: "\n").last ?? "it printed no figures"
      throw BenchmarkError("\(program) ended with \(outcome.exit): \(reason)")
    }
    return answer.findings.flatMap(\.measurements)
  }
}

/// The part of a benchmark's output with `--json` that is compared.
private struct Answer: Decodable {
  var findings: [Measured]

  struct Measured: Decodable {
    var what: String
    var p50Milliseconds: Double?
    var p99Milliseconds: Double?
    var perSecond: Double?
    var ratio: Double?
    var value: Double?
    var limits: [String]?
    var goal: String?
    var yardstick: Bool?

    var measurements: [(Measurement, Double)] {
      let isYardstick = yardstick ?? false
      let bounds = (limits ?? []) + (goal.map { [$0] } ?? [])
      // The ratio of a rate or of a time to its yardstick moves with it. Alone, its limit says which way is better.
      let judgesRatio = perSecond == nil && p50Milliseconds == nil && !bounds.isEmpty
      let figures: [(Measurement.Figure, Double?, isJudged: Bool)] = [
        (.perSecond, perSecond, true), (.p50, p50Milliseconds, true), (.p99, p99Milliseconds, false),
        (.ratio(moreIsBetter: bounds.contains { $0.hasPrefix("at least") }), ratio, judgesRatio),
        (.value, value, perSecond == nil),
      ]
      return figures.compactMap { figure, value, isJudged in
        value.map { (Measurement(what: name, figure: figure, isJudged: isJudged && !isYardstick), $0) }
      }
    }

    /// The name of a measurement, without the counts in it that differ from run to run.
    private var name: String { what.replacing(#/, of [0-9]+$/#, with: "") }
  }
}

/// One figure of one finding.
struct Measurement: Hashable {
  enum Figure: Hashable {
    case perSecond, p50, p99, value
    case ratio(moreIsBetter: Bool)

    /// As its column is called in the JSON of a run.
    var name: String {
      switch self {
      case .perSecond: "perSecond"
      case .p50: "p50Milliseconds"
      case .p99: "p99Milliseconds"
      case .value: "value"
      case .ratio: "ratio"
      }
    }

    var moreIsBetter: Bool {
      switch self {
      case .perSecond: true
      case .ratio(let moreIsBetter): moreIsBetter
      case .p50, .p99, .value: false
      }
    }
  }

  let what: String
  let figure: Figure
  /// Whether a fall counts: not of a yardstick, which is not ours, of a p99, which one slow call in a hundred makes, or
  /// of a value that follows from another.
  let isJudged: Bool
}

/// A figure in all turns.
struct Turns {
  private(set) var before: [Double] = []
  private(set) var now: [Double] = []

  mutating func add(_ value: Double, isNow: Bool) {
    if isNow { now.append(value) } else { before.append(value) }
  }

  /// How many times as good today's figure is, turn by turn.
  ///
  /// 1.1 is a tenth faster, or a tenth less where less is better. Against nothing at all it is 1,000.
  func gains(moreIsBetter: Bool) -> [Double] {
    zip(before, now).map { before, now in
      let (better, worse) = moreIsBetter ? (now, before) : (before, now)
      return better == worse ? 1 : worse == 0 ? 1_000 : min(better / worse, 1_000)
    }
  }
}
