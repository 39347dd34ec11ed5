import FunctionKit

/// The results of all rounds, for people or for programs.
struct Report {
  private let results: [RoundResult]
  /// Faults that could not be brought about here, with the reasons.
  private let leftOut: [String]

  /// How many wrongs of a figure and round are told in words.
  private static let most = 10

  init(_ results: [RoundResult], leftOut: [String]) {
    (self.results, self.leftOut) = (results, leftOut)
  }

  var isRight: Bool { results.allSatisfy(\.isRight) }

  /// A line for each round and one for all, the faults, and in words what went wrong.
  var text: String {
    let head = ["round", "writers", "events", "deliveries", "faults", "repeats", "again", "slowest s"]
    let rows = results.map { ["\($0.round)", "\($0.writers)"] + cells(of: [$0]) }
    let table = [head + Figure.allCases.map(\.rawValue)] + rows + [["all", ""] + cells(of: results)]
    let widths = table[0].indices.map { column in table.map(\.[column].count).max() ?? 0 }
    let lines = table.map { row in
      zip(row, widths).map { String(repeating: " ", count: $1 - $0.count) + $0 }.joined(separator: "  ")
    }
    return (["seed \(results.first?.seed ?? 0)"] + lines + [faults] + wrongs).joined(separator: "\n")
  }

  /// `{"ok","leftOut","rounds"}`.
  var json: String {
    get throws {
      struct Document: Encodable {
        let ok: Bool
        let leftOut: [String]
        let rounds: [RoundResult]
      }
      let document = Document(ok: isRight, leftOut: leftOut, rounds: results)
      return String(decoding: try JSONCoding.encode(document).bytes, as: UTF8.self)
    }
  }

  private func cells(of results: [RoundResult]) -> [String] {
    func sum(_ value: (RoundResult) -> Int) -> String { "\(results.reduce(0) { $0 + value($1) })" }
    let slowest = results.map(\.counts.slowest).max() ?? 0
    let amounts = [
      sum(\.counts.events), sum(\.counts.deliveries), sum { $0.faults.values.reduce(0, +) }, sum(\.counts.repeats),
      sum(\.counts.sentAgain), "\(slowest)",
    ]
    return amounts
      + Figure.allCases.map { figure in
        results.contains { $0.figures[figure] != nil } ? sum { $0.figures[figure] ?? 0 } : "-"
      }
  }

  private var faults: String {
    let kinds = results.reduce(into: [:]) { $0.merge($1.faults, uniquingKeysWith: +) }
    let failures = results.reduce(into: [:]) { $0.merge($1.failures, uniquingKeysWith: +) }
    func list(_ counts: [String: Int]) -> String {
      counts.isEmpty
        ? "none" : counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
    let absent = leftOut.isEmpty ? "" : "\nleft out: \(leftOut.joined(separator: ", "))"
    return "faults: \(list(kinds))\(absent)\nrefused to writers: \(list(failures))"
  }

  private var wrongs: [String] {
    results.flatMap { result in
      (result.failure.map { ["round \(result.round) was not played to its end: \($0)"] } ?? [])
        + Figure.allCases.flatMap { figure -> [String] in
          let all = result.wrongs[figure] ?? []
          let told = all.prefix(Self.most).map { "round \(result.round), \(figure.rawValue): \($0)" }
          return told + (all.count > Self.most ? ["  and \(all.count - Self.most) more"] : [])
        } + (result.isRight ? [] : ["play it again: Tests/Chaos/run --seed \(result.seed) --round \(result.round)"])
    }
  }
}
