import FunctionKit
import Terminal

/// One thing that was looked at.
struct Finding: Encodable, Equatable {
  enum Grade: String {
    case ok
    /// It works as it is, but may surprise.
    case warning
    /// Pushes cannot go out until somebody does something.
    case missing = "MISSING"
  }

  let check: String
  let grade: Grade
  let detail: String

  static func ok(_ check: String, _ detail: String) -> Finding { Finding(check: check, grade: .ok, detail: detail) }
  static func warning(_ check: String, _ detail: String) -> Finding {
    Finding(check: check, grade: .warning, detail: detail)
  }
  static func missing(_ check: String, _ detail: String) -> Finding {
    Finding(check: check, grade: .missing, detail: detail)
  }

  /// The detail as it may be shown on a terminal.
  var line: String { detail.onOneCleanLine }

  private enum CodingKeys: CodingKey { case check, ok, warning, detail }

  /// As `runner doctor` writes its findings.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(check, forKey: .check)
    try container.encode(grade != .missing, forKey: .ok)
    try container.encode(grade == .warning, forKey: .warning)
    try container.encode(detail, forKey: .detail)
  }
}
