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
  /// Why some of that may come out otherwise.
  let doubts: [ReplayDoubt]

  init(
    function: String, at: Date, event: RawJSON, rows: [(table: String, rows: [RawJSON])], expected: [ExpectedDecision],
    doubts: [ReplayDoubt]
  ) {
    (self.function, self.at, self.event, self.rows) = (function, at, event, rows)
    (self.expected, self.doubts) = (expected, doubts)
  }

  /// - Parameter file: its name, for errors.
  /// - Throws: ``FunctionError/Code/invalidEvent`` for another document, and for one of a newer version.
  init(_ document: RawJSON, in file: String) throws(FunctionError) {
    guard let version = document["test"]?.intValue else {
      throw FunctionError(.invalidEvent, "\(file) was not made by runner export --as-test.")
    }
    guard (1...Self.version).contains(version) else {
      throw FunctionError(
        .invalidEvent,
        "\(file) is of version \(version), and this runner reads \(Self.version): run it with a newer runner.")
    }
    guard let function = document["function"]?.stringValue,
      let at = document["at"]?.stringValue.flatMap(RFC3339.date), let event = document["event"], event.kind == .object,
      let tables = document["rows"], tables.kind == .object, let expected = document["expected"]
    else {
      throw FunctionError(.invalidEvent, "\(file) is broken: it lacks function, at, event, rows or expected.")
    }
    var rows: [(table: String, rows: [RawJSON])] = []
    for table in tables.members {
      guard let all = table.value.elements, all.allSatisfy({ $0.kind == .object }) else {
        throw FunctionError(.invalidEvent, "\(file) is broken: the rows of \(table.name) are no list of objects.")
      }
      rows.append((table.name, all))
    }
    do {
      let doubts = document["doubts"] ?? RawJSON(array: [])
      self.init(
        function: function, at: at, event: event, rows: rows,
        expected: try JSONCoding.decode([ExpectedDecision].self, from: expected),
        doubts: try JSONCoding.decode([ReplayDoubt].self, from: doubts))
    } catch {
      throw FunctionError(.invalidEvent, "\(file) is broken: \(error.message)", cause: error)
    }
  }

  func document() throws -> RawJSON {
    RawJSON(object: [
      ("test", RawJSON(Self.version)), ("function", RawJSON(function)), ("at", RawJSON(RFC3339.string(at))),
      ("event", event), ("expected", try JSONCoding.encode(expected)),
      ("doubts", try JSONCoding.encode(doubts)),
      ("rows", RawJSON(object: rows.map { ($0.table, RawJSON(array: $0.rows)) })),
    ])
  }

  /// The event as it happens again at its time.
  var input: [UInt8] {
    let others = event.members.filter { $0.name != "now" }.map { ($0.name, $0.value) }
    return Array(RawJSON(object: others + [("now", RawJSON(RFC3339.string(at)))]).bytes)
  }
}
