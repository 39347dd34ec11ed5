import Documents
import FunctionKit
import Terminal

/// One thing that a doctor looked at.
package struct Finding: Sendable, Equatable {
  package enum Grade: String, Sendable {
    case ok
    /// It works as it is, but may surprise.
    case warning
    /// It does not work until somebody does something.
    case missing = "MISSING"
  }

  package let check: String
  package let grade: Grade
  package let detail: String

  package static func ok(_ check: String, _ detail: String) -> Finding {
    Finding(check: check, grade: .ok, detail: detail)
  }
  package static func warning(_ check: String, _ detail: String) -> Finding {
    Finding(check: check, grade: .warning, detail: detail)
  }
  package static func missing(_ check: String, _ detail: String) -> Finding {
    Finding(check: check, grade: .missing, detail: detail)
  }

  /// A line for each, and more lines where the terminal is too narrow for all that one says.
  static func text(_ findings: [Finding], width: Int?) -> String {
    var table = Table(["", "check", "detail"], width: nil)
    let checks = findings.map(\.check.columns).max() ?? 0
    let room = width.map { max(24, $0 - Grade.missing.rawValue.count - max(5, checks) - 4) }
    for finding in findings {
      let lines = finding.detail.wrapped(toColumns: room)
      table.add([finding.grade.rawValue, finding.check, lines.first ?? ""])
      for line in lines.dropFirst() { table.add(["", "", line]) }
    }
    return table.text
  }

  fileprivate var document: FindingDocument {
    FindingDocument(check: check, detail: detail, ok: grade != .missing, warning: grade == .warning)
  }
}

extension Reply {
  /// Answers with a line for each finding; the exit status says whether anything is missing.
  package func callAsFunction(_ findings: [Finding]) throws -> Int32 {
    let width = TerminalWidth.current(columns: Environment.current()["COLUMNS"])
    try self(findings.map(\.document), text: Finding.text(findings, width: width))
    return findings.contains { $0.grade == .missing } ? FunctionError.Code.misconfigured.exitStatus : 0
  }
}
