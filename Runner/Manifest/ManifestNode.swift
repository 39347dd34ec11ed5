import FunctionKit

/// A place in `functions.json`: its value, and the path and line to name when something is wrong with it.
package struct ManifestNode {
  let file: String
  let text: [UInt8]
  let path: String
  let value: RawJSON

  func error(_ problem: String) -> ManifestError {
    let line = text[..<value.bytes.startIndex].count { $0 == 0x0A } + 1
    return ManifestError(file: file, line: line, path: path, problem: problem)
  }

  /// The object's members by name; unknown and repeated names are mistakes.
  func members(allowed: [String]) throws(ManifestError) -> [String: ManifestNode] {
    var found: [String: ManifestNode] = [:]
    for (name, node) in try members() {
      guard allowed.contains(name) else {
        throw node.error("is not known; known here: \(allowed.sorted().joined(separator: ", "))")
      }
      found[name] = node
    }
    return found
  }

  /// The object's members in their order.
  func members() throws(ManifestError) -> [(name: String, node: ManifestNode)] {
    guard value.kind == .object else { throw error("must be an object") }
    var names: Set<String> = []
    var members: [(String, ManifestNode)] = []
    for member in value.members {
      let node = child(path.isEmpty ? member.name : "\(path).\(member.name)", member.value)
      guard names.insert(member.name).inserted else { throw node.error("is given twice") }
      members.append((member.name, node))
    }
    return members
  }

  func elements() throws(ManifestError) -> [ManifestNode] {
    guard let elements = value.elements else { throw error("must be an array") }
    return elements.enumerated().map { child("\(path)[\($0.offset)]", $0.element) }
  }

  func string() throws(ManifestError) -> String {
    guard let text = value.stringValue, !text.isEmpty else { throw error("must be a string that is not empty") }
    return text
  }

  func strings() throws(ManifestError) -> [String] {
    var strings: [String] = []
    for element in try elements() { strings.append(try element.string()) }
    return strings
  }

  func boolean() throws(ManifestError) -> Bool {
    switch String(decoding: value.bytes, as: UTF8.self) {
    case "true": true
    case "false": false
    default: throw error("must be true or false")
    }
  }

  func integer(_ range: ClosedRange<Int>, unit: String) throws(ManifestError) -> Int {
    guard let number = value.intValue, range.contains(number) else {
      throw error("must be a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) throws(ManifestError) -> Choice
  where Choice.RawValue == String {
    guard let choice = value.stringValue.flatMap(Choice.init) else {
      throw error("must be one of \(type.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }

  private func child(_ path: String, _ value: RawJSON) -> ManifestNode {
    ManifestNode(file: file, text: text, path: path, value: value)
  }
}
