package import FoundationEssentials
package import FunctionKit
import Notifications
import PushPayload
import TimeZones

/// The members of a JSON object in a request; unknown members are ignored.
package struct Fields: Sendable {
  private let values: [String: RawJSON]
  private let path: String

  init(_ document: RawJSON, path: String = "") throws(APIError) {
    self.path = path
    guard document.kind == .object else {
      throw .invalid("\(path.isEmpty ? "The body" : String(path.dropLast())) must be an object.")
    }
    var values: [String: RawJSON] = [:]
    for member in document.members {
      guard values.updateValue(member.value, forKey: member.name) == nil else {
        throw .invalid("\(path)\(member.name) is given twice.")
      }
    }
    self.values = values
  }

  package func required<Value>(_ name: String, _ rule: FieldRule<Value>) throws(APIError) -> Value {
    guard let document = try value(name) else { throw .invalid("\(path)\(name) is missing.") }
    return try read(document, name, rule)
  }

  /// A value that may be missing or `null`.
  /// - Parameter names: members with a meaning of their own; one of them may be this name in snake_case.
  package func optional<Value>(
    _ name: String, _ rule: FieldRule<Value>, besides names: [String] = []
  ) throws(APIError) -> Value? {
    guard let document = try value(name, besides: names), document.kind != .null else { return nil }
    return try read(document, name, rule)
  }

  /// The change of a stored value that may be empty: a missing member keeps it, `null` clears it.
  package func change<Value>(_ name: String, _ rule: FieldRule<Value>) throws(APIError) -> Change<Value> {
    guard let document = try value(name) else { return .keep }
    return document.kind == .null ? .clear : .set(try read(document, name, rule))
  }

  /// The new value of a stored value that is never empty; `nil` for a missing member, which keeps it.
  package func update<Value>(_ name: String, _ rule: FieldRule<Value>) throws(APIError) -> Value? {
    guard let document = try value(name) else { return nil }
    return try read(document, name, rule)
  }

  /// The new value of a stored value that is never empty, where `null` brings back the default; `nil` for a missing
  /// member, which keeps it.
  package func update<Value>(
    _ name: String, _ rule: FieldRule<Value>, default standard: Value
  ) throws(APIError) -> Value? {
    switch try change(name, rule) {
    case .keep: nil
    case .clear: standard
    case .set(let value): value
    }
  }

  /// The members of a nested object; `nil` without one.
  package func object(_ name: String) throws(APIError) -> Fields? {
    guard let document = try value(name) else { return nil }
    return try Fields(document, path: "\(path)\(name).")
  }

  /// The names of all members, sorted.
  package var names: [String] { values.keys.sorted() }

  /// Whether a member is `null`.
  package func isNull(_ name: String) -> Bool { values[name]?.kind == .null }

  /// A member by its name; the same name in snake_case is an error, so that no caller thinks it was read.
  private func value(_ name: String, besides names: [String] = []) throws(APIError) -> RawJSON? {
    let snakeCase = name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    if let value = values[name] { return value }
    guard values[snakeCase] == nil || names.contains(snakeCase) else {
      throw .invalid("\(path)\(snakeCase) must be written \(name).")
    }
    return nil
  }

  private func read<Value>(_ document: RawJSON, _ name: String, _ rule: FieldRule<Value>) throws(APIError) -> Value {
    guard let value = rule.read(document) else { throw .invalid("\(path)\(name) must be \(rule.expectation).") }
    return value
  }
}

/// The change of a stored value that may be empty.
package enum Change<Value: Sendable>: Sendable {
  /// It stays as it is.
  case keep
  /// It becomes empty, so that a default applies.
  case clear
  /// It is replaced.
  case set(Value)

  /// Whether it is not ``keep``.
  package var isChange: Bool { if case .keep = self { false } else { true } }
  /// The new value; `nil` without one.
  package var value: Value? { if case .set(let value) = self { value } else { nil } }
}

extension Change: Equatable where Value: Equatable {}

/// How a field is checked and read.
package struct FieldRule<Value: Sendable>: Sendable {
  /// The form that the field must have, as the end of a sentence.
  var expectation: String { expected() }
  private let expected: @Sendable () -> String
  let read: @Sendable (RawJSON) -> Value?

  /// - Parameter expectation: what the field must be, as the end of a sentence.
  package init(
    _ expectation: @autoclosure @escaping @Sendable () -> String, _ read: @escaping @Sendable (RawJSON) -> Value?
  ) {
    (expected, self.read) = (expectation, read)
  }
}

extension FieldRule where Value == String {
  /// A text of this many characters (Unicode scalars); U+0000, which PostgreSQL cannot store, is refused.
  /// - Parameter isWords: whether it has to show something.
  package static func text(_ lengths: ClosedRange<Int>, isWords: Bool = false) -> FieldRule {
    let size = lengths.lowerBound == 0 ? "at most" : "\(lengths.lowerBound) to"
    return FieldRule("a text of \(size) \(lengths.upperBound) characters") { document in
      document.stringValue.flatMap { text in
        guard lengths.contains(text.unicodeScalars.count), !text.utf8.contains(0) else { return nil }
        return isWords && text.isBlank ? nil : text
      }
    }
  }

  /// The name of a time zone whose rules the system has.
  package static var timeZone: FieldRule {
    FieldRule("an IANA time zone, such as Europe/Berlin") { document in
      document.stringValue.flatMap { name in
        name.utf8.count <= 100 && (try? TimeZoneRules(identifier: name)) != nil ? name : nil
      }
    }
  }

  /// The tag of a language, in its usual spelling; there need not be texts in it.
  package static var language: FieldRule {
    FieldRule("the tag of a language, such as de or pt-BR") { document in
      document.stringValue.flatMap(Language.tag)
    }
  }

  /// A time of day, `HH:MM`, as sent.
  package static var timeOfDay: FieldRule {
    FieldRule("a time of day, HH:MM") { document in
      document.stringValue.flatMap { text in
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":"),
          let hour = Int(text.prefix(2)), let minute = Int(text.suffix(2)), text.first != "+", text.first != "-",
          (0...23).contains(hour), (0...59).contains(minute), digits[3] != UInt8(ascii: "+"),
          digits[3] != UInt8(ascii: "-")
        else { return nil }
        return text
      }
    }
  }
}

extension FieldRule where Value == Bool {
  /// `true` or `false`.
  package static var boolean: FieldRule {
    FieldRule("true or false") { document in
      document.kind == .bool ? document.bytes.first == UInt8(ascii: "t") : nil
    }
  }
}

extension FieldRule where Value == Int {
  /// A whole number; `7.0` counts too.
  package static func integer(_ range: ClosedRange<Int>) -> FieldRule {
    FieldRule("a whole number from \(range.lowerBound) to \(range.upperBound)") { document in
      guard document.kind == .number else { return nil }
      return Double(String(decoding: document.bytes, as: UTF8.self)).flatMap(Int.init(exactly:)).flatMap {
        range.contains($0) ? $0 : nil
      }
    }
  }
}

extension FieldRule where Value == UUID {
  /// A UUID.
  package static var id: FieldRule<UUID> {
    FieldRule("a UUID") { document in document.stringValue.flatMap(UUID.init(uuidString:)) }
  }
}

extension FieldRule where Value == Date {
  /// An instant.
  package static var instant: FieldRule<Date> {
    FieldRule("an RFC 3339 time") { document in document.stringValue.flatMap(RFC3339.date) }
  }
}

extension FieldRule where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// One of an enumeration's raw values, in any case.
  package static var choice: FieldRule {
    FieldRule("one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))") { document in
      document.stringValue.flatMap { text in
        Value(rawValue: text) ?? Value.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
      }
    }
  }
}
