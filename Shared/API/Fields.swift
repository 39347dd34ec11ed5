import FunctionKit

/// The members of a JSON object that somebody sent; those that nobody reads are ignored.
public struct Fields: Sendable {
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

  /// A value that has to be there.
  public func required<Value>(_ name: String, _ rule: FieldRule<Value>) throws(APIError) -> Value {
    guard let document = try value(name) else { throw .invalid("\(path)\(name) is missing.") }
    return try read(document, name, rule)
  }

  /// A value that may be missing or `null`.
  /// - Parameter names: members with a meaning of their own, though one of them may be this name in snake_case.
  public func optional<Value>(
    _ name: String, _ rule: FieldRule<Value>, besides names: [String] = []
  ) throws(APIError) -> Value? {
    guard let document = try value(name, besides: names), document.kind != .null else { return nil }
    return try read(document, name, rule)
  }

  /// What becomes of a stored value that may be empty: a missing member keeps it, `null` empties it.
  public func change<Value>(_ name: String, _ rule: FieldRule<Value>) throws(APIError) -> Change<Value> {
    guard let document = try value(name) else { return .keep }
    return document.kind == .null ? .clear : .set(try read(document, name, rule))
  }

  /// What becomes of a stored value that is never empty: a missing member keeps it.
  public func update<Value>(_ name: String, _ rule: FieldRule<Value>) throws(APIError) -> Value? {
    guard let document = try value(name) else { return nil }
    return try read(document, name, rule)
  }

  /// The members of an object in this one; `nil` where there is none.
  public func object(_ name: String) throws(APIError) -> Fields? {
    guard let document = try value(name) else { return nil }
    return try Fields(document, path: "\(path)\(name).")
  }

  /// The names that were sent.
  public var names: [String] { values.keys.sorted() }

  /// A member, which nobody is to think was read where they wrote it in snake_case.
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

/// What a request wants to be done to a value that may be empty.
public enum Change<Value: Sendable>: Sendable {
  /// It stays as it is.
  case keep
  /// It becomes empty: what applies then is decided elsewhere.
  case clear
  /// It is replaced.
  case set(Value)

  /// Whether it may become another.
  public var isChange: Bool { if case .keep = self { false } else { true } }
  /// The new value; `nil` where there is none.
  public var value: Value? { if case .set(let value) = self { value } else { nil } }
}

extension Change: Equatable where Value: Equatable {}
