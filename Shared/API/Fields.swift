import FunctionKit

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
