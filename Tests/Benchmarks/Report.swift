import CLI
import FunctionKit
import Terminal

/// The findings of one run, for people or for programs.
struct Report {
  /// How wide a column may be; all of them fit in a line of 100.
  private static let widths = [44, 24, 18, 8]

  private let findings: [Finding]
  private let failures: [String]

  /// - Parameter failures: what could not be measured, a sentence each.
  init(_ findings: [Finding], _ failures: [String]) {
    (self.findings, self.failures) = (findings, failures)
  }

  var isWithinLimits: Bool { findings.allSatisfy(\.isWithinLimits) }

  /// Aligned columns, whose cells are wrapped.
  var text: String {
    let rows = ([["", "measured", "limit", ""]] + findings.map(cells)).map { row in
      zip(row, Self.widths).map { $0.wrapped(toColumns: $1) }
    }
    let widths = Self.widths.indices.map { column in rows.flatMap { $0[column].map(\.columns) }.max() ?? 0 }
    return rows.flatMap { row in
      (0..<(row.map(\.count).max() ?? 0)).map { line in
        zip(row, widths).map { (line < $0.count ? $0[line] : "").padded(to: $1) }.joined(separator: "  ").trimmedAtEnd
      }
    }.joined(separator: "\n")
  }

  /// `{"ok","findings","failures"}`.
  var json: String {
    get throws {
      struct Document: Encodable {
        var ok: Bool
        var findings: [Finding]
        var failures: [String]
      }
      let document = Document(ok: isWithinLimits && failures.isEmpty, findings: findings, failures: failures)
      return String(decoding: try JSONCoding.encode(document).bytes, as: UTF8.self)
    }
  }

  private func cells(_ finding: Finding) -> [String] {
    let figures = [
      finding.p50.map { "p50 \($0.fixed(2)) ms" }, finding.p99.map { "p99 \($0.fixed(2)) ms" },
      finding.perSecond.map { "\($0.fixed(0))/s" }, finding.ratio.map { "\($0.fixed(2)) ×" }, finding.value?.brief,
    ]
    return [
      finding.what, figures.compactMap(\.self).joined(separator: ", "),
      (finding.limits.map(\.text) + (finding.goal.map { ["goal: \($0.text)"] } ?? [])).joined(separator: ", "),
      verdict(finding),
    ]
  }

  private func verdict(_ finding: Finding) -> String {
    guard finding.isWithinLimits else { return "MISSED" }
    guard finding.reachesGoal else { return "short of goal" }
    return finding.limits.isEmpty && finding.goal == nil ? "" : "ok"
  }
}

extension Finding: Encodable {
  private enum Key: CodingKey {
    case what, p50Milliseconds, p99Milliseconds, perSecond, ratio, value, limits, ok, goal, reachesGoal, yardstick
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(what, forKey: .what)
    try container.encodeIfPresent(p50, forKey: .p50Milliseconds)
    try container.encodeIfPresent(p99, forKey: .p99Milliseconds)
    try container.encodeIfPresent(perSecond, forKey: .perSecond)
    try container.encodeIfPresent(ratio, forKey: .ratio)
    try container.encodeIfPresent(value, forKey: .value)
    if isYardstick { try container.encode(true, forKey: .yardstick) }
    if let goal {
      try container.encode(goal.text, forKey: .goal)
      try container.encode(reachesGoal, forKey: .reachesGoal)
    }
    guard !limits.isEmpty else { return }
    try container.encode(limits.map(\.text), forKey: .limits)
    try container.encode(isWithinLimits, forKey: .ok)
  }
}
