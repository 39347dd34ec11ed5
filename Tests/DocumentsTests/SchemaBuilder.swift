import Documents
import Foundation
import FunctionKit

/// Makes the JSON schema of types: each decodes from a decoder that has every member, and notes what is asked for.
///
/// A member that may be `null` is one that need not be there; doc comments are the descriptions.
final class SchemaBuilder {
  typealias Members = [(String, RawJSON)]

  /// The members of one type, in their order.
  fileprivate final class Object {
    var members: [(name: String, schema: Members)] = []
    var optional: Set<String> = []
    /// The schema of the elements, where it is an array.
    var element: Members?
  }

  private let comments: DocComments
  private var commands: [(name: String, lines: [String])] = []
  private var types: [String: Object] = [:]

  init(_ comments: DocComments) {
    self.comments = comments
  }

  /// Adds what a command prints.
  func add(_ command: String, _ description: String, _ type: (some Decodable).Type) throws {
    commands.append((command, [Self.text([("description", RawJSON(description))] + (try sample(type).schema))]))
  }

  /// Adds a command that prints the members of a type, with others besides or in their place.
  func add(
    _ command: String, _ description: String, _ type: (some Decodable).Type, with members: [(String, Members)]
  ) throws {
    _ = try sample(type)
    let object = Object()
    let names = Set(members.map(\.0))
    object.members = (types[Self.name(of: type)]?.members ?? []).filter { !names.contains($0.name) } + members
    object.optional = types[Self.name(of: type)]?.optional.subtracting(names) ?? []
    commands.append((command, lines(object, description)))
  }

  /// The schema of a type, and a value of it.
  func sample<Value: Decodable>(_ type: Value.Type) throws -> (value: Value, schema: Members) {
    let simple: [(any Decodable, Members)] = [
      ("", [("type", RawJSON("string"))]), (0, [("type", RawJSON("integer"))]), (0.0, [("type", RawJSON("number"))]),
      (Int64(0), [("type", RawJSON("integer"))]), (false, [("type", RawJSON("boolean"))]),
      (Date.distantPast, Self.reference("time")), (RowID(uuid: UUID()), Self.reference("uuid")),
    ]
    for case (let value as Value, let schema) in simple { return (value, schema) }
    if let words = type as? any (CaseIterable & RawRepresentable).Type {
      let cases = Self.cases(of: words)
      if let value = cases.first?.value as? Value {
        let description = comments[Self.name(of: type)].map { [("description", RawJSON($0))] } ?? []
        return (value, description + [("enum", RawJSON(array: cases.map { RawJSON($0.word) }))])
      }
    }
    let object = Object()
    let value = try Value(from: Recorder(builder: self, object: object))
    if let element = object.element {
      return (value, [("type", RawJSON("array")), ("items", RawJSON(object: element))])
    }
    let name = Self.name(of: type)
    for index in object.members.indices {
      guard let comment = comments["\(name).\(object.members[index].name)"] else { continue }
      object.members[index].schema.removeAll { $0.0 == "description" }
      object.members[index].schema.insert(("description", RawJSON(comment)), at: 0)
    }
    types[name] = object
    return (value, Self.reference(name))
  }

  static func reference(_ name: String) -> Members { [("$ref", RawJSON("#/$defs/\(name)"))] }

  /// `ExplainDocument.Handling`.
  private static func name(of type: Any.Type) -> String {
    String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
  }

  private static func cases<Words: CaseIterable & RawRepresentable>(of type: Words.Type) -> [(value: Any, word: String)]
  {
    type.allCases.map { ($0, "\($0.rawValue)") }
  }

  private static func text(_ schema: Members) -> String { RawJSON(object: schema).printable }

  private func lines(_ object: Object, _ description: String) -> [String] {
    let required = object.members.map(\.name).filter { !object.optional.contains($0) }
    let members = object.members.map { "  \(RawJSON($0.name).printable): \(Self.text($0.schema))" }
    return [
      "{", #""description": \#(RawJSON(description).printable),"#, #""type": "object", "additionalProperties": false,"#,
      #""required": \#(RawJSON(array: required.map { RawJSON($0) }).printable),"#, #""properties": {"#,
    ] + members.dropLast().map { "\($0)," } + members.suffix(1) + ["}", "}"]
  }

  /// The whole schema.
  var text: String {
    let own: [(String, Members)] = [
      (
        "time",
        [
          ("description", RawJSON("RFC 3339 in UTC, with milliseconds.")), ("type", RawJSON("string")),
          ("pattern", RawJSON(#"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"#)),
        ]
      ),
      (
        "uuid",
        [
          ("description", RawJSON("A UUID in lower case.")), ("type", RawJSON("string")),
          ("pattern", RawJSON("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")),
        ]
      ),
    ]
    let definitions =
      own.map { ($0.0, [Self.text($0.1)]) } + commands.map { ($0.name, $0.lines) }
      + types.sorted { $0.key < $1.key }.map { ($0.key, lines($0.value, comments[$0.key] ?? "")) }
    let texts = definitions.map { name, lines in
      let inner = lines.dropLast().map { "\($0)\n" }.joined(separator: "      ")
      return "    \(RawJSON(name).printable): \(inner)\(inner.isEmpty ? "" : "    ")\(lines.last ?? "")"
    }
    return """
      {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What commands print with --json",
        "description": "The console reads these documents, and a bundle's own panels print them. An entry of $defs that \
      begins in lower case has the name of its command; panels have people, recent, explain and phones. Members without \
      a value are left out. The schema names every member of this version; a later one may have more.",
        "$defs": {
      \(texts.joined(separator: ",\n"))
        }
      }

      """
  }
}

/// Has every member that is asked for, and notes it.
private struct Recorder: Decoder {
  let builder: SchemaBuilder
  let object: SchemaBuilder.Object

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(recorder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Unkeyed(recorder: self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unforeseen() }

  /// Something that no document does, such as nesting containers by hand.
  struct Unforeseen: Error {}

  struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: Recorder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool {
      recorder.object.optional.insert(key.stringValue)
      return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let (value, schema) = try recorder.builder.sample(type)
      recorder.object.members.append((key.stringValue, schema))
      return value
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Unforeseen() }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Unforeseen() }
    func superDecoder() throws -> any Decoder { throw Unforeseen() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Unforeseen() }
  }

  /// An array of one element.
  struct Unkeyed: UnkeyedDecodingContainer {
    let recorder: Recorder
    private(set) var currentIndex = 0

    init(recorder: Recorder) {
      self.recorder = recorder
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex == 1 }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      currentIndex = 1
      let (value, schema) = try recorder.builder.sample(type)
      recorder.object.element = schema
      return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { throw Unforeseen() }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unforeseen() }
    mutating func superDecoder() throws -> any Decoder { throw Unforeseen() }
  }
}

/// The doc comments of types and their members, by names such as `ExplainDocument.Handling.at`.
struct DocComments {
  private var texts: [String: String] = [:]

  init(of sources: [String]) {
    for source in sources { read(source) }
  }

  subscript(name: String) -> String? { texts[name] }

  private mutating func read(_ source: String) {
    var (comment, owners): ([Substring], [Substring]) = ([], [])
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let level = line.prefix { $0 == " " }.count / 2
      let text = line.dropFirst(level * 2)
      if text.hasPrefix("///") {
        comment.append(text.dropFirst(4))
        continue
      }
      if let declaration = text.firstMatch(of: /^package (struct|enum|var) (\w+)/) {
        let path = owners.prefix(level) + [declaration.2]
        if declaration.1 != "var" { owners = Array(path) }
        let words = comment.filter { !$0.isEmpty }.joined(separator: " ")
        if !words.isEmpty { texts[path.joined(separator: ".")] = words }
      }
      comment = []
    }
  }
}
