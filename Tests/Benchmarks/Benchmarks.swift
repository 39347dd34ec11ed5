import Foundation
import FunctionKit
import Terminal
import TestSupport

/// Measures what the project promises about its speed, and compares it with limits and goals.
///
/// Limits are ratios to something that is measured in the same run, because machines differ. Its exit status is 0 when
/// everything is within its limits, 1 when something is not, and 2 when something could not be measured. A goal that is
/// missed is said, and does not fail the run. A quick run has neither, because its figures say little.
///
/// With `--against` the same parts are measured by an earlier commit's program, too, in turns; it then ends with 1 when
/// a figure fell.
@main
struct Benchmarks {
  private static let parts = [
    Part("start-up") { _ in try StartUpBenchmark().findings() },
    Part("artefact") { try await ArtefactBenchmark(effort: $0).findings() },
    Part("pgbench") { try await PgBenchBenchmark(effort: $0).findings() },
    Part("http") { try await HTTPBenchmark(effort: $0).findings() },
    Part("api") { try await APIBenchmark(effort: $0).findings() },
    Part("memory", inEffort: [.long]) { try await MemoryBenchmark(effort: $0).findings() },
    Part("push") { try await PushBenchmark(effort: $0).findings() },
    Part("sender") { try await SenderBenchmark(effort: $0).findings() },
    Part("deliveries") { try await DeliveriesBenchmark(effort: $0).findings() },
    Part("latency") { try await LatencyBenchmark(effort: $0).findings() },
    Part("capture") { try await CaptureBenchmark(effort: $0).findings() },
    Part("drain") { try await DrainBenchmark(effort: $0).findings() },
    Part("targets") { try await TargetsBenchmark(effort: $0).findings() },
    Part("writers") { try await WritersBenchmark(effort: $0).findings() },
    Part("fan-out") { try await FanOutBenchmark(effort: $0).findings() },
    Part("told") { try await ToldBenchmark(effort: $0).findings() },
    Part("flood") { try await FloodBenchmark(effort: $0).findings() },
    Part("release") { try await ReleaseBenchmark(effort: $0).findings() },
    Part("health") { try await HealthBenchmark(effort: $0).findings() },
    Part("traces") { try await TracesBenchmark(effort: $0).findings() },
    Part("console") { try await ConsoleBenchmark(effort: $0).findings() },
    Part("console-people") { try await PeopleBenchmark(effort: $0).findings() },
    Part("idle") { try await IdleBenchmark(effort: $0).findings() },
  ]

  @concurrent static func main() async {
    // The runner starts this program as a function, by a link with that name.
    if CommandLine.arguments.first?.hasSuffix("/\(Stamp.name)") == true { Stamp.main() }
    signal(SIGPIPE, SIG_IGN)
    let work = Task { try await run(CommandLine.arguments.dropFirst()) }
    let interruption = Interruption(of: work)
    defer { withExtendedLifetime(interruption) {} }
    do {
      exit(try await work.value)
    } catch {
      say(work.isCancelled ? "benchmarks: interrupted" : "benchmarks: \(error)")
      exit(2)
    }
  }

  /// - Returns: the exit status.
  private static func run(_ words: ArraySlice<String>) async throws -> Int32 {
    let choice = try Choice(words)
    guard choice.earlier == nil else { return try await compare(choice) }
    var findings: [Finding] = []
    var failures: [String] = []
    for part in parts where choice.has(part) {
      say("Measuring \(part.name)")
      do { findings += try await part.measure(choice.effort) } catch  where !Task.isCancelled {
        // The other parts' figures are still worth having.
        failures.append("\(part.name) could not be measured: \(error)".onOneCleanLine)
      }
    }
    if choice.effort == .quick {
      for index in findings.indices { (findings[index].limits, findings[index].goal) = ([], nil) }
    }
    let report = Report(findings, failures)
    print(choice.isJSON ? try report.json : report.text)
    for failure in failures { say("benchmarks: \(failure)") }
    return !failures.isEmpty ? 2 : report.isWithinLimits ? 0 : 1
  }

  private static func compare(_ choice: Choice) async throws -> Int32 {
    let comparison = Comparison(
      before: choice.earlier ?? "", now: choice.now, effort: choice.effort, turns: choice.turns)
    let report = try await comparison.measure(parts.filter(choice.has).map(\.name), say: say)
    print(choice.isJSON ? try report.json : report.text)
    for failure in report.failures { say("benchmarks: \(failure)") }
    return report.exitStatus
  }

  /// The choices of the command line.
  private struct Choice {
    private(set) var effort = Effort.normal
    private(set) var isJSON = false
    /// The path of an earlier commit's program.
    private(set) var earlier: String?
    /// The path of today's.
    private(set) var now = BuiltExecutables.path(of: "Benchmarks")
    private(set) var turns = 5
    private var names: Set<String> = []

    init(_ words: ArraySlice<String>) throws {
      var rest = words
      while let word = rest.popFirst() {
        switch word {
        case "--json": isJSON = true
        case "--quick": effort = .quick
        case "--long": effort = .long
        case "--against": earlier = try Self.value(of: word, &rest)
        case "--now": now = try Self.value(of: word, &rest)
        case "--turns":
          guard let count = Int(try Self.value(of: word, &rest)), count > 0 else {
            throw BenchmarkError("--turns takes a number, at least 1.")
          }
          turns = count
        case _ where parts.contains { $0.name == word }: names.insert(word)
        default: throw BenchmarkError("\(word) is neither an option nor a part. \(usage)")
        }
      }
    }

    func has(_ part: Part) -> Bool { names.isEmpty ? part.efforts.contains(effort) : names.contains(part.name) }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
      guard let value = rest.popFirst() else { throw BenchmarkError("\(option) needs a value. \(usage)") }
      return value
    }
  }

  private static var usage: String {
    let names = parts.map(\.name).joined(separator: "] [")
    return "usage: [--json] [--quick | --long] [--against PROGRAM [--turns N]] [\(names)]"
  }

  /// Writes to stderr, because stdout is for the figures.
  private static func say(_ sentence: String) {
    FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  }
}

/// One subject of the benchmark.
private struct Part: Sendable {
  let name: String
  /// The efforts in which it is measured without being named.
  let efforts: [Effort]
  let measure: @Sendable (Effort) async throws -> [Finding]

  init(
    _ name: String, inEffort efforts: [Effort] = [.quick, .normal, .long],
    measure: @escaping @Sendable (Effort) async throws -> [Finding]
  ) {
    (self.name, self.efforts, self.measure) = (name, efforts, measure)
  }
}

/// Why something could not be measured.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
