import FoundationEssentials
import Glibc

/// A log of JSON objects, one a line, on stderr.
///
/// Messages are constant; facts go into fields with dotted names.
///
/// Never log tokens, keys, bodies or SQL parameters.
package struct Log: Sendable {
  private let fields: [(String, String)]
  private let write: @Sendable ([UInt8]) -> Void

  /// A log with the given fields in every line.
  package init(
    _ fields: KeyValuePairs<String, String> = [:], write: @escaping @Sendable ([UInt8]) -> Void = Log.toStandardError
  ) {
    self.fields = Array(fields)
    self.write = write
  }

  private init(fields: [(String, String)], write: @escaping @Sendable ([UInt8]) -> Void) {
    self.fields = fields
    self.write = write
  }

  /// The same log with further fields.
  package func with(_ more: KeyValuePairs<String, String>) -> Log {
    Log(fields: fields + Array(more), write: write)
  }

  /// Something worth one line an invocation or a change of state.
  package func info(_ message: StaticString, _ facts: KeyValuePairs<String, String> = [:]) {
    line("info", message, facts)
  }

  /// Something is degraded but handled.
  package func warning(_ message: StaticString, _ facts: KeyValuePairs<String, String> = [:]) {
    line("warning", message, facts)
  }

  /// An invocation failed or a person must act.
  package func error(_ message: StaticString, _ facts: KeyValuePairs<String, String> = [:]) {
    line("error", message, facts)
  }

  /// Reports how much of a long work is done: a line with the number `progress`, which the runner reads.
  func progress(_ count: Int) {
    emit("info", "A part is done", fields, [("progress", RawJSON(count))])
  }

  private func line(_ level: String, _ message: StaticString, _ facts: KeyValuePairs<String, String>) {
    emit(level, message, fields + Array(facts))
  }

  private func emit(
    _ level: String, _ message: StaticString, _ texts: [(String, String)], _ values: [(String, RawJSON)] = []
  ) {
    var members: [(String, RawJSON)] = [
      ("time", RawJSON(RFC3339.string(.now))), ("level", RawJSON(level)), ("message", RawJSON("\(message)")),
    ]
    members += texts.map { ($0.0, RawJSON($0.1)) }
    write(RawJSON(object: members + values).line)
  }

  /// Writes a whole line at once, so that lines of several threads do not mix.
  ///
  /// A closed stderr is no error.
  package static let toStandardError: @Sendable ([UInt8]) -> Void = { line in
    _ = StandardStreams.write(line, to: STDERR_FILENO)
  }
}
