/// How much a line of a log matters.
package enum LogLevel: String, Sendable, Comparable, CaseIterable {
  case debug, info, warning, error

  /// The variable with the least level that is logged; without it everything is, except `debug`.
  package static let variable = "LOG_LEVEL"

  /// What ``variable`` says in this process.
  package static let ofProcess = (try? from(Environment.current())) ?? .info

  /// Reads ``variable``; `nil` if it is not set.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` for another word.
  package static func from(_ environment: Environment) throws(FunctionError) -> LogLevel? {
    guard let text = environment[variable] else { return nil }
    guard let level = LogLevel(word: text) else {
      throw FunctionError(.misconfigured, "\(variable) must be debug, info, warning or error, not \(text).")
    }
    return level
  }

  /// Reads a level; words of other programs, such as Vapor, mean the nearest one.
  package init?(word: String) {
    switch word.lowercased() {
    case "trace": self = .debug
    case "notice": self = .info
    case "warn": self = .warning
    case "critical", "fatal": self = .error
    case let word: self.init(rawValue: word)
    }
  }

  package static func < (one: LogLevel, other: LogLevel) -> Bool { one.place < other.place }

  private var place: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    }
  }
}
