import Documents
import FoundationEssentials
import FunctionKit

/// An event, the rows by which a function decided about people, and what it decided: the file that `runner test` plays.
struct EventTest {
  private static let version = 1

  let function: String
  /// When it was decided.
  let at: Date
  /// The event as its function got it, with redacted members null.
  let event: RawJSON
  /// Rows by their tables.
  let rows: [(table: String, rows: [RawJSON])]
  let expected: [ExpectedDecision]

  init(
    function: String, at: Date, event: RawJSON, rows: [(table: String, rows: [RawJSON])], expected: [ExpectedDecision]
  ) {
    (self.function, self.at, self.event, self.rows, self.expected) = (function, at, event, rows, expected)
  }

  /// - Throws: ``FunctionError/Code/usage`` for another document.
  init(_ document: RawJSON) throws(FunctionError) {
    guard document["test"]?.intValue == Self.version, let function = document["function"]?.stringValue,
      let at = document["at"]?.stringValue.flatMap(RFC3339.date), let event = document["event"],
      let rows = document["rows"], let expected = document["expected"]
    else { throw FunctionError(.usage, "That is no file of runner export --as-test of this version.") }
    self.init(
      function: function, at: at, event: event, rows: rows.members.map { ($0.name, $0.value.elements ?? []) },
      expected: try JSONCoding.decode([ExpectedDecision].self, from: expected))
  }

  func document() throws -> RawJSON {
    RawJSON(object: [
      ("test", RawJSON(Self.version)), ("function", RawJSON(function)), ("at", RawJSON(RFC3339.string(at))),
      ("event", event), ("expected", try JSONCoding.encode(expected)),
      ("rows", RawJSON(object: rows.map { ($0.table, RawJSON(array: $0.rows)) })),
    ])
  }

  /// The event as it happens again at its time.
  var input: [UInt8] {
    let others = event.members.filter { $0.name != "now" }.map { ($0.name, $0.value) }
    return Array(RawJSON(object: others + [("now", RawJSON(RFC3339.string(at)))]).bytes)
  }
}
