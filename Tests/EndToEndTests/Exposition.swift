import TestSupport

/// Prometheus' text format 0.0.4, read strictly: every line must be right, every sample of a declared family.
struct Exposition {
  struct Sample: Hashable {
    var name: String
    var labels: [String: String]
  }

  private(set) var values: [Sample: Double] = [:]
  private(set) var kinds: [String: String] = [:]
  private var helped: Set<String> = []
  private var closed: Set<String> = []
  private var current = ""

  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw ProgramFailure(description: "The last line does not end.") }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      do { try take(line) } catch { throw ProgramFailure(description: "\(error): \(line)") }
    }
  }

  /// The value of a sample.
  subscript(name: String, labels: [String: String]) -> Double? { values[Sample(name: name, labels: labels)] }

  private enum Mistake: Error {
    case comment, unknownFamily, familyTwice, name, labels, value, sampleTwice
  }

  private mutating func take(_ line: Substring) throws {
    if line.hasPrefix("# ") {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      guard words.count == 4, Self.isName(words[2]) else { throw Mistake.comment }
      switch words[1] {
      case "HELP":
        guard helped.insert(words[2]).inserted else { throw Mistake.familyTwice }
      case "TYPE":
        guard ["counter", "gauge", "histogram"].contains(words[3]), helped.contains(words[2]) else {
          throw Mistake.comment
        }
        guard kinds.updateValue(words[3], forKey: words[2]) == nil else { throw Mistake.familyTwice }
        closed.insert(current)
        current = words[2]
      default: throw Mistake.comment
      }
      return
    }
    try takeSample(line)
  }

  private mutating func takeSample(_ line: Substring) throws {
    let name = line.prefix { $0 != "{" && $0 != " " }
    guard Self.isName(String(name)) else { throw Mistake.name }
    var rest = line.dropFirst(name.count)
    var labels: [String: String] = [:]
    if rest.first == "{" { labels = try Self.labels(&rest) }
    guard rest.first == " ", let value = Self.number(rest.dropFirst()) else { throw Mistake.value }
    guard belongs(String(name), labels), !closed.contains(current) else { throw Mistake.unknownFamily }
    guard values.updateValue(value, forKey: Sample(name: String(name), labels: labels)) == nil else {
      throw Mistake.sampleTwice
    }
  }

  private func belongs(_ name: String, _ labels: [String: String]) -> Bool {
    guard kinds[current] == "histogram" else { return name == current }
    return name == "\(current)_bucket" && labels["le"] != nil || ["\(current)_sum", "\(current)_count"].contains(name)
  }

  private static func labels(_ rest: inout Substring) throws -> [String: String] {
    var labels: [String: String] = [:]
    repeat {
      rest.removeFirst()
      let name = String(rest.prefix { $0 != "=" })
      guard isName(name), !name.contains(":") else { throw Mistake.labels }
      rest = rest.dropFirst(name.count)
      guard rest.hasPrefix("=\"") else { throw Mistake.labels }
      rest = rest.dropFirst(2)
      guard labels.updateValue(try value(&rest), forKey: name) == nil else { throw Mistake.labels }
    } while rest.first == ","
    guard rest.popFirst() == "}" else { throw Mistake.labels }
    return labels
  }

  private static func value(_ rest: inout Substring) throws -> String {
    var value = ""
    while let character = rest.popFirst(), character != "\"" {
      guard character == "\\" else {
        value.append(character)
        continue
      }
      switch rest.popFirst() {
      case "n": value.append("\n")
      case "\\": value.append("\\")
      case "\"": value.append("\"")
      default: throw Mistake.labels
      }
    }
    return value
  }

  private static func number(_ text: Substring) -> Double? {
    ["+Inf": .infinity, "-Inf": -.infinity, "NaN": .nan][text] ?? (text.first == "+" ? nil : Double(text))
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.first?.isNumber == false
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
  }
}
