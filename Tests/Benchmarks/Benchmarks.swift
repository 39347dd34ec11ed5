import Foundation

/// Measures what the project promises about its speed, and compares it with the limits.
@main
struct Benchmarks {
  private static let parts: [(name: String, measure: @Sendable () async throws -> [Finding])] = [
    ("start-up", { try StartUpBenchmark().findings() }),
    ("http", { try await HTTPBenchmark().findings() }),
    ("push", { try await PushBenchmark().findings() }),
  ]

  @concurrent static func main() async {
    signal(SIGPIPE, SIG_IGN)
    do {
      exit(try await run(CommandLine.arguments.dropFirst()) ? 0 : 1)
    } catch {
      say("benchmarks: \(error)")
      exit(2)
    }
  }

  /// - Returns: whether everything kept within its limits.
  private static func run(_ words: ArraySlice<String>) async throws -> Bool {
    let names = words.filter { $0 != "--json" }
    if let unknown = names.first(where: { name in !parts.contains { $0.name == name } }) {
      throw BenchmarkError("usage: [--json] [\(parts.map(\.name).joined(separator: "] ["))], not \(unknown)")
    }
    var findings: [Finding] = []
    for part in parts where names.isEmpty || names.contains(part.name) {
      say("Measuring \(part.name)")
      findings += try await part.measure()
    }
    print(words.contains("--json") ? try Report(findings).json : Report(findings).text)
    return findings.allSatisfy(\.isWithinLimits)
  }

  /// Tells on stderr, because stdout is for the figures.
  private static func say(_ sentence: String) {
    FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  }
}

/// Why something could not be measured.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
