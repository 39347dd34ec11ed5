#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One type of an app's pushes: reads it from the app's own keys and writes it to them.
///
/// The keys have the order of the content's values. A key whose value may be missing has an optional type.
struct PushForm<Content: Sendable>: Sendable {
  typealias Values = [String: PushPayload.Value]

  let type: String?
  let place: TapTarget
  let read: @Sendable (Values) -> Content?
  /// `nil` for content of another type.
  let write: @Sendable (Content) -> Values?

  /// The place that a tap opens.
  enum TapTarget: Sendable {
    case none
    case fixed(DeepLink)
    /// The place that the id under a key names.
    case at(String, @Sendable (UUID) -> DeepLink)
  }

  /// A key of the payload with a value of a type.
  struct Key<Field>: ExpressibleByStringLiteral, Sendable {
    let name: String

    init(stringLiteral name: String) { self.name = name }
  }

  init<each Field: PushField>(
    _ type: String?, _ place: TapTarget, _ keys: repeat Key<each Field>,
    make: @escaping @Sendable (repeat each Field) -> Content,
    parts: @escaping @Sendable (Content) -> (repeat each Field)?
  ) {
    (self.type, self.place) = (type, place)
    let keys = (repeat each keys)
    read = { values in try? make(repeat (each Field).value(of: values, (each keys).name)) }
    write = { content in
      guard let parts = parts(content) else { return nil }
      var values: Values = [:]
      values.set("type", type)
      repeat (each parts).set((each keys).name, in: &values)
      return values
    }
  }

  func link(_ values: Values) -> DeepLink? {
    switch place {
    case .none: nil
    case .fixed(let link): link
    case .at(let key, let link): values.uuid(key).map(link)
    }
  }
}

extension Array {
  /// Reads an app's own keys; `nil` if no form of the type fits.
  func content<Content>(_ type: String?, _ values: [String: PushPayload.Value]) -> Content?
  where Element == PushForm<Content> {
    for form in self where form.type == type {
      if let content = form.read(values) { return content }
    }
    return nil
  }

  /// The app's own keys with the type, and their place; `nil` for content without a form.
  func written<Content>(_ content: Content) -> (values: [String: PushPayload.Value], link: DeepLink?)?
  where Element == PushForm<Content> {
    for form in self {
      if let values = form.write(content) { return (values, form.link(values)) }
    }
    return nil
  }
}

/// The value of a key.
protocol PushField: Sendable {
  static func value(of values: [String: PushPayload.Value], _ key: String) throws -> Self
  func set(_ key: String, in values: inout [String: PushPayload.Value])
}

/// A key is missing, or its value has another type.
struct MissingField: Error {}

extension PushField {
  fileprivate static func required(_ value: Self?) throws -> Self {
    guard let value else { throw MissingField() }
    return value
  }
}

extension UUID: PushField {
  static func value(of values: [String: PushPayload.Value], _ key: String) throws -> UUID {
    try required(values.uuid(key))
  }
  func set(_ key: String, in values: inout [String: PushPayload.Value]) { values.set(key, self) }
}

extension String: PushField {
  static func value(of values: [String: PushPayload.Value], _ key: String) throws -> String {
    try required(values.text(key))
  }
  func set(_ key: String, in values: inout [String: PushPayload.Value]) { values.set(key, self) }
}

extension Int: PushField {
  static func value(of values: [String: PushPayload.Value], _ key: String) throws -> Int {
    try required(values.integer(key))
  }
  func set(_ key: String, in values: inout [String: PushPayload.Value]) { values.set(key, self) }
}

extension Date: PushField {
  static func value(of values: [String: PushPayload.Value], _ key: String) throws -> Date {
    try required(values.date(key))
  }
  func set(_ key: String, in values: inout [String: PushPayload.Value]) { values.set(key, self) }
}

extension Optional: PushField where Wrapped: PushField {
  static func value(of values: [String: PushPayload.Value], _ key: String) -> Wrapped? {
    try? Wrapped.value(of: values, key)
  }
  func set(_ key: String, in values: inout [String: PushPayload.Value]) { self?.set(key, in: &values) }
}
