import FoundationEssentials
import FunctionKit
import Terminal

/// One line of a log, with the program that wrote it.
package struct LogLine {
  /// Without the line's end.
  package let text: ArraySlice<UInt8>
  /// The function, the service, or `runner`.
  package let program: String
  private let members: [RawJSON.Member]?

  /// The program's name in the runner's own lines.
  static let runner = "runner"

  package init(_ text: ArraySlice<UInt8>, program: String) {
    self.text = text
    self.program = program
    members = try? RawJSON.members(validating: text)
  }

  /// Reads a line of the log file; `nil` if it is not one, such as a line that a full disk has cut.
  package init?(recorded text: ArraySlice<UInt8>) {
    guard let members = try? RawJSON.members(validating: text) else { return nil }
    self.text = text
    self.members = members
    program = members.first { $0.name == "program" }?.value.stringValue ?? Self.runner
  }

  /// Whether that program wrote it, or the runner says it about that function.
  package func concerns(_ name: String) -> Bool {
    program == name
      || isOfRunner && members?.contains { $0.name == "function" && $0.value.stringValue == name } == true
  }

  /// Whether the runner itself wrote it: only then `function` says about whom the line is.
  private var isOfRunner: Bool { program == Self.runner }

  /// The line in the log file: one JSON object, with the name of the program that wrote it, whatever it calls itself.
  var record: [UInt8] {
    guard let members else {
      let words = String(decoding: text, as: UTF8.self)
      return RawJSON(object: [
        ("program", RawJSON(program)), ("time", RawJSON(RFC3339.string(.now))), ("level", RawJSON("info")),
        ("message", RawJSON(words)),
      ]).line
    }
    let kept = members.filter { $0.name != "program" }.map { ($0.name, $0.value) }
    return RawJSON(object: [("program", RawJSON(program))] + kept).line
  }

  /// The line for a program: as in the log file; words that are no JSON stay as they are, as far as no terminal obeys them.
  package var whole: String {
    let words = String(decoding: text, as: UTF8.self).onOneCleanLine
    // What is no JSON here may be JSON for a reader that takes more: it must not pass for a line of somebody else.
    let isLikeJSON = words.first { $0.isASCII && $0 != " " } == "{"
    guard members != nil || isLikeJSON else { return words }
    return String(decoding: record.dropLast(), as: UTF8.self).escapedInJSON
  }

  /// The line for a person: time of day, program, message, facts.
  package var readable: String {
    guard let members else {
      return "\(clock(nil)) \(program.padded(to: 17)) \(String(decoding: text, as: UTF8.self).onOneCleanLine)"
    }
    var fields: [(String, String)] = members.map {
      ($0.name, $0.value.stringValue ?? String(decoding: $0.value.bytes, as: UTF8.self))
    }
    let take = { (name: String) -> String? in
      guard let index = fields.firstIndex(where: { $0.0 == name }) else { return nil }
      return fields.remove(at: index).1
    }
    let (time, level, message) = (take("time"), take("level") ?? "info", take("message") ?? "")
    _ = take("program")
    let origin = isOfRunner ? take("function") ?? program : program
    if let index = fields.firstIndex(where: { $0 == ("function", program) }) { fields.remove(at: index) }
    let facts = fields.filter { !$0.1.isEmpty }.map { "\($0.0)=\($0.1)" }
    let mark = level == "info" ? "" : "\(level): "
    return (["\(clock(time)) \(origin.padded(to: 17)) \(mark)\(message)"] + facts).joined(separator: "  ")
      .onOneCleanLine
  }

  /// The level that it says; `nil` for a line that is no JSON object or says none, such as the last words of a crash.
  var level: LogLevel? {
    members?.first { $0.name == "level" }?.value.stringValue.flatMap { LogLevel(word: $0) }
  }

  /// Whether it is neither a warning nor an error.
  var isInfo: Bool {
    let level = members?.first { $0.name == "level" }?.value.stringValue ?? "info"
    return ["info", "debug"].contains(level)
  }

  /// The line for a person who watches, cut to one line of the terminal unless it is a warning or an error.
  func short(columns: Int, _ style: Style) -> String {
    let text = readable
    guard !isInfo else {
      let line = text.shortened(toColumns: columns)
      return style.faint(String(line.prefix(8))) + line.dropFirst(8)
    }
    let level = members?.first { $0.name == "level" }?.value.stringValue
    return level == "error" ? style.bad(text) : style.warning(text)
  }

  private func clock(_ time: String?) -> String {
    let text = time ?? RFC3339.string(.now)
    return String(text.dropFirst(11).prefix(8))
  }
}
