import FoundationEssentials
import Glibc

/// A log of JSON objects, one a line, on stderr.
///
/// Messages are constant; facts go into fields with dotted names.
///
/// Never log tokens, keys, bodies or SQL parameters.
package struct Log: Sendable {
  private let fields: [(String, String)]
  private let least: LogLevel
  private let write: @Sendable ([UInt8]) -> Void

  /// A log with the given fields in every line.
  ///
  /// - Parameter least: lines of lower levels are left out.
  package init(
    _ fields: KeyValuePairs<String, String> = [:], least: LogLevel = .ofProcess,
    write: @escaping @Sendable ([UInt8]) -> Void = Log.toStandardError
  ) {
    (self.fields, self.least, self.write) = (Array(fields), least, write)
  }

  private init(fields: [(String, String)], least: LogLevel, write: @escaping @Sendable ([UInt8]) -> Void) {
    (self.fields, self.least, self.write) = (fields, least, write)
  }

  /// The same log with further fields.
  package func with(_ more: KeyValuePairs<String, String>) -> Log {
    Log(fields: fields + Array(more), least: least, write: write)
  }

  /// Something that only the search for a fault needs; ask ``says(_:)`` first where it would be costly.
  package func debug(_ message: StaticString, _ facts: KeyValuePairs<String, String> = [:]) {
    line(.debug, message, facts)
  }

  /// Whether lines of that level are written.
  package func says(_ level: LogLevel) -> Bool { level >= least }

  /// Something worth one line an invocation or a change of state.
  package func info(_ message: StaticString, _ facts: KeyValuePairs<String, String> = [:]) {
    line(.info, message, facts)
  }

  /// Something is degraded but handled.
  package func warning(_ message: StaticString, _ facts: KeyValuePairs<String, String> = [:]) {
    line(.warning, message, facts)
  }

  /// An invocation failed or a person must act.
  package func error(_ message: StaticString, _ facts: KeyValuePairs<String, String> = [:]) {
    line(.error, message, facts)
  }

  /// Reports how much of a long work is done: a line with the number `progress`, which the runner reads.
  ///
  /// It is written whatever the level is.
  func progress(_ count: Int) {
    emit(.info, "A part is done", fields, [("progress", RawJSON(count))])
  }

  private func line(_ level: LogLevel, _ message: StaticString, _ facts: KeyValuePairs<String, String>) {
    guard says(level) else { return }
    emit(level, message, fields + Array(facts))
  }

  private func emit(
    _ level: LogLevel, _ message: StaticString, _ texts: [(String, String)], _ values: [(String, RawJSON)] = []
  ) {
    var members: [(String, RawJSON)] = [
      ("time", RawJSON(RFC3339.string(.now))), ("level", RawJSON(level.rawValue)), ("message", RawJSON("\(message)")),
    ]
    members += texts.map { ($0.0, RawJSON($0.1)) }
    write(Array("\(RawJSON(object: members + values).printable)\n".utf8))
  }

  /// Writes a whole line at once, so that lines of several threads do not mix.
  ///
  /// A closed stderr is no error.
  package static let toStandardError: @Sendable ([UInt8]) -> Void = { line in
    _ = StandardStreams.write(line, to: STDERR_FILENO)
  }
}

/// How much a line of a log matters.
package enum LogLevel: String, Sendable, Comparable, CaseIterable {
  case debug, info, warning, error

  /// The variable with the least level that is logged; without it everything is, except `debug`.
  package static let variable = "LOG_LEVEL"

  /// The level that ``variable`` names in this process.
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
