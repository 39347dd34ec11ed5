import FoundationEssentials
import FunctionKit

extension RawJSON {
  /// The document's text.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  var number: Double? { kind == .number ? Double(text) : nil }

  /// A text that equal values share, no matter how their members are ordered.
  var canonical: String {
    switch kind {
    case .object:
      let members = members.sorted { $0.name < $1.name }
      return "{\(members.map { "\(RawJSON($0.name).text):\($0.value.canonical)" }.joined(separator: ","))}"
    case .array: return "[\((elements ?? []).map(\.canonical).joined(separator: ","))]"
    case .string: return RawJSON(stringValue ?? "").text
    case .number: return number.map { "\($0)" } ?? text
    case .bool, .null: return text
    }
  }

  func equals(_ other: RawJSON) -> Bool { canonical == other.canonical }

  /// Whether it is of one of JSON Schema's types.
  func isA(_ type: String) -> Bool {
    switch (type, kind) {
    case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("null", .null),
      ("number", .number):
      true
    case ("integer", .number): number.map { $0.rounded() == $0 } == true
    default: false
    }
  }
}

extension Double {
  func keeps(_ keyword: String, _ limit: Double) -> Bool {
    switch keyword {
    case "minimum": self >= limit
    case "maximum": self <= limit
    case "exclusiveMinimum": self > limit
    case "exclusiveMaximum": self < limit
    default: truncatingRemainder(dividingBy: limit) == 0
    }
  }
}

extension String {
  static let formats: Set<String> = ["uuid", "date-time", "uri", "time", "date"]

  func keeps(_ keyword: String, _ rule: RawJSON) -> Bool {
    switch keyword {
    case "minLength": unicodeScalars.count >= rule.intValue ?? .max
    case "maxLength": unicodeScalars.count <= rule.intValue ?? -1
    case "pattern": (try? Regex(rule.stringValue ?? "").firstMatch(in: self)).flatMap { $0 } != nil
    default: isOf(format: rule.stringValue ?? "")
    }
  }

  private func isOf(format: String) -> Bool {
    switch format {
    case "uuid": UUID(uuidString: self) != nil
    case "date-time": RFC3339.date(self) != nil
    case "uri": wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:[^\s]+/) != nil
    case "time": wholeMatch(of: /\d\d:\d\d:\d\d(\.\d+)?(Z|[+\-]\d\d:\d\d)/) != nil
    case "date": wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil
    default: false
    }
  }
}

extension RawJSON {
  /// The parts that references in this document name, `#/components/schemas/Error`; those to nowhere are left out.
  var referenced: [String: RawJSON] {
    Dictionary(references.compactMap { name in place(of: name).map { (name, $0) } }) { first, _ in first }
  }

  /// Every `$ref` in this value.
  var references: [String] {
    members.flatMap { $0.name == "$ref" ? [$0.value.stringValue ?? ""] : $0.value.references }
      + (elements ?? []).flatMap(\.references)
  }

  private func place(of reference: String) -> RawJSON? {
    guard reference.hasPrefix("#/") else { return nil }
    return reference.dropFirst(2).split(separator: "/").reduce(self) { place, name in
      place?[String(name)]
    }
  }
}
