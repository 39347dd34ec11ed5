import FunctionKit
import Glibc
import System

/// The file `.env` of a project: lines `NAME=value`, as other tools read them.
///
/// A value may stand in single quotes, as it is, or in double quotes, where `\n`, `\"` and `\\` mean what they do in
/// JSON. Nothing is put in place of `$`.
enum DotEnv {
  /// The entries of a file; none where there is no such file.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` with the line that cannot be read, never with what stands in it.
  static func read(_ path: String) throws(FunctionError) -> [String: String] {
    guard access(path, F_OK) == 0 else { return [:] }
    guard let text = TextFile.read(path, last: 1 << 20, followsLinks: true) else {
      throw FunctionError(.misconfigured, "\(path) cannot be read.")
    }
    return try entries(text, path)
  }

  static func entries(_ text: String, _ path: String = ".env") throws(FunctionError) -> [String: String] {
    var entries: [String: String] = [:]
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.trimmed
      if words.isEmpty || words.hasPrefix("#") { continue }
      guard let (name, value) = entry(words) else {
        throw FunctionError(.misconfigured, "\(path):\(index + 1) must be NAME=value, with both quotes or none.")
      }
      entries[name] = value
    }
    return entries
  }

  private static func entry(_ line: Substring) -> (name: String, value: String)? {
    let line = line.hasPrefix("export ") ? line.dropFirst(7).trimmed : line
    guard let equals = line.firstIndex(of: "=") else { return nil }
    let (name, text) = (line[..<equals].trimmed, line[line.index(after: equals)...].trimmed)
    guard let first = name.first, !first.isNumber,
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    else { return nil }
    return value(text).map { (String(name), $0) }
  }

  private static func value(_ text: Substring) -> String? {
    switch text.first {
    case "'":
      let rest = text.dropFirst()
      guard let end = rest.firstIndex(of: "'"), isNothing(rest[rest.index(after: end)...]) else { return nil }
      return String(rest[..<end])
    case "\"": return quoted(text.dropFirst())
    default:
      let comment = text.firstRange(of: " #")?.lowerBound
      return String(text[..<(comment ?? text.endIndex)].trimmed)
    }
  }

  private static func quoted(_ text: Substring) -> String? {
    var (value, rest) = ("", text)
    while let character = rest.popFirst() {
      switch character {
      case "\"": return isNothing(rest) ? value : nil
      case "\\":
        guard let next = rest.popFirst() else { return nil }
        value += next == "n" ? "\n" : ["\"", "\\", "$"].contains(next) ? "\(next)" : "\\\(next)"
      default: value.append(character)
      }
    }
    return nil
  }

  /// Whether only a comment follows.
  private static func isNothing(_ text: Substring) -> Bool {
    let rest = text.trimmed
    return rest.isEmpty || rest.hasPrefix("#")
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let isSpace: (Character) -> Bool = { [" ", "\t"].contains($0) }
    let text = drop(while: isSpace)
    return text.lastIndex { !isSpace($0) }.map { text[...$0] } ?? ""
  }
}
