import FunctionKit
import System

/// The file `.env` of a project: lines `NAME=value`, as other tools read them.
///
/// A value may stand in single quotes, as it is, or in double quotes, where `\n`, `\"` and `\\` mean what they do in
/// JSON. Such a value may have several lines, as a key in PEM does. Nothing is put in place of `$`.
enum DotEnv {
  /// The entries of a file.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` with the line that cannot be read, never with what stands in it.
  static func read(_ path: String) throws(FunctionError) -> [String: String] {
    guard let text = TextFile.read(path, last: 1 << 20, followsLinks: true) else {
      throw FunctionError(.misconfigured, "\(path) cannot be read.")
    }
    return try entries(text, path)
  }

  static func entries(_ text: String, _ path: String = ".env") throws(FunctionError) -> [String: String] {
    var entries: [String: String] = [:]
    var (rest, number) = (Substring(text.utf8.withoutByteOrderMark), 1)
    while !rest.isEmpty {
      var end = rest.lineEnd
      let words = rest[..<end].trimmed
      if !words.isEmpty, !words.hasPrefix("#") {
        guard let (name, start) = name(words), let value = value(rest[start...]) else {
          throw FunctionError(.misconfigured, "\(path):\(number) must be NAME=value, with both quotes or none.")
        }
        entries[name] = value.text
        end = value.end
      }
      number += rest[..<end].count(where: \.isNewline) + 1
      rest = rest[end...].dropFirst()
    }
    return entries
  }

  /// The name on a line, and where its value begins.
  private static func name(_ line: Substring) -> (name: String, value: Substring.Index)? {
    let line = line.hasPrefix("export ") ? line.dropFirst(7).trimmed : line
    guard let equals = line.firstIndex(of: "=") else { return nil }
    let name = line[..<equals].trimmed
    guard let first = name.first, !first.isNumber,
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    else { return nil }
    return (String(name), line.index(after: equals))
  }

  /// The value at the beginning of a text, and the end of its last line.
  private static func value(_ text: Substring) -> (text: String, end: Substring.Index)? {
    let words = text.withoutSpace
    switch words.first {
    case "'":
      let rest = words.dropFirst()
      guard let quote = rest.firstIndex(of: "'") else { return nil }
      return end(rest[quote...].dropFirst()).map { (rest[..<quote].map(lineFeed).joined(), $0) }
    case "\"": return quoted(words.dropFirst())
    default:
      let line = words[..<words.lineEnd]
      let comment = line.firstRange(of: " #")?.lowerBound
      return (String(line[..<(comment ?? line.endIndex)].trimmed), line.endIndex)
    }
  }

  private static func quoted(_ text: Substring) -> (text: String, end: Substring.Index)? {
    var (value, rest) = ("", text)
    while let character = rest.popFirst() {
      switch character {
      case "\"": return end(rest).map { (value, $0) }
      case "\\":
        guard let next = rest.popFirst() else { return nil }
        value += next == "n" ? "\n" : ["\"", "\\", "$"].contains(next) ? "\(next)" : "\\\(lineFeed(next))"
      default: value += lineFeed(character)
      }
    }
    return nil
  }

  /// A character of a value: whatever system wrote the file, its lines end as they do here.
  private static func lineFeed(_ character: Character) -> String {
    character == "\r\n" ? "\n" : String(character)
  }

  /// The end of the line behind a quote, where only a comment may follow; `nil` if something else does.
  private static func end(_ text: Substring) -> Substring.Index? {
    let rest = text[..<text.lineEnd].trimmed
    return rest.isEmpty || rest.hasPrefix("#") ? text.lineEnd : nil
  }
}

extension Substring {
  private static func isSpace(_ character: Character) -> Bool { [" ", "\t"].contains(character) }

  fileprivate var withoutSpace: Substring { drop(while: Self.isSpace) }

  fileprivate var trimmed: Substring {
    let text = withoutSpace
    return text.lastIndex { !Self.isSpace($0) }.map { text[...$0] } ?? ""
  }

  /// Where its first line ends.
  fileprivate var lineEnd: Index { firstIndex(where: \.isNewline) ?? endIndex }
}
