import FunctionKit

/// The findings of one run, for people or for programs.
struct Report {
  private let findings: [Finding]

  init(_ findings: [Finding]) {
    self.findings = findings
  }

  /// Aligned columns; one that is empty throughout is left out.
  var text: String {
    let rows = [["", "p50 ms", "p99 ms", "per second", "ratio", "value", "limit", ""]] + findings.map(cells)
    let columns = rows[0].indices.filter { column in rows.dropFirst().contains { !$0[column].isEmpty } }
    let widths = columns.map { column in rows.map(\.[column].count).max() ?? 0 }
    return rows.map { row in
      zip(columns, widths).map { column, width in
        let padding = String(repeating: " ", count: width - row[column].count)
        return Self.numbers.contains(column) ? padding + row[column] : row[column] + padding
      }.joined(separator: "  ").trimmed
    }.joined(separator: "\n")
  }

  /// `{"ok","findings"}`.
  var json: String {
    get throws {
      struct Document: Encodable {
        var ok: Bool
        var findings: [Finding]
      }
      let document = Document(ok: findings.allSatisfy(\.isWithinLimits), findings: findings)
      return String(decoding: try JSONCoding.encode(document).bytes, as: UTF8.self)
    }
  }

  private static let numbers = 1...5

  private func cells(_ finding: Finding) -> [String] {
    [
      finding.what, finding.p50?.fixed(2) ?? "", finding.p99?.fixed(2) ?? "", finding.perSecond?.fixed(0) ?? "",
      finding.ratio.map { "\($0.fixed(2)) ×" } ?? "", finding.value?.brief ?? "",
      finding.limits.map(\.text).joined(separator: ", "),
      finding.limits.isEmpty ? "" : finding.isWithinLimits ? "ok" : "MISSED",
    ]
  }
}

extension Finding: Encodable {
  private enum Key: CodingKey {
    case what, p50Milliseconds, p99Milliseconds, perSecond, ratio, value, limits, ok
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(what, forKey: .what)
    try container.encodeIfPresent(p50, forKey: .p50Milliseconds)
    try container.encodeIfPresent(p99, forKey: .p99Milliseconds)
    try container.encodeIfPresent(perSecond, forKey: .perSecond)
    try container.encodeIfPresent(ratio, forKey: .ratio)
    try container.encodeIfPresent(value, forKey: .value)
    guard !limits.isEmpty else { return }
    try container.encode(limits.map(\.text), forKey: .limits)
    try container.encode(isWithinLimits, forKey: .ok)
  }
}

extension String {
  /// Without the spaces at its end.
  fileprivate var trimmed: String {
    String(self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)])
  }
}
