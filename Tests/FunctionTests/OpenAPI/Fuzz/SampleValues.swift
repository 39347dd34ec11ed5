import FoundationEssentials
import FunctionKit
import TestSupport

/// Makes values that are valid by a schema.
struct SampleValues {
  var random: SplitMix
  /// Ids that mean something, and one that means nothing.
  let ids: [String]

  /// Texts for patterns; those that keep a pattern are used.
  private static let plain = ["a", "abc123", "09:30", "22:00", "Europe/Berlin", "ffffffffffffffff", "A-1"]
  private static let odd: [Unicode.Scalar] = [
    "a", "Z", "0", " ", "é", "漢", "\u{202E}", "\u{1F469}", "\u{200D}", "'", "\"", "\\",
  ]

  mutating func value(_ schema: JSONSchema) -> RawJSON {
    guard let schema = schema.resolved else { return .null }
    let rules = schema.schema
    if let value = rules["const"] { return value }
    if let value = rules["enum"]?.elements?.randomElement(using: &random) { return value }
    for name in ["allOf", "oneOf", "anyOf"] {
      guard let choices = rules[name]?.elements else { continue }
      let chosen = name == "allOf" ? choices : choices.randomElement(using: &random).map { [$0] } ?? []
      let rest = RawJSON(object: rules.members.filter { $0.name != name }.map { ($0.name, $0.value) })
      return value(schema.with(chosen.reduce(rest) { $0.narrowed(by: schema.with($1).resolved?.schema ?? .null) }))
    }
    let types = rules["type"]?.elements ?? rules["type"].map { [$0] } ?? []
    switch types.randomElement(using: &random)?.stringValue ?? (rules["properties"] == nil ? "string" : "object") {
    case "object": return object(schema)
    case "array":
      let count = Int.random(
        in: (rules["minItems"]?.intValue ?? 0)...max(rules["minItems"]?.intValue ?? 0, 2), using: &random)
      return RawJSON(array: (0..<count).map { _ in rules["items"].map { value(schema.with($0)) } ?? .null })
    case "integer", "number":
      let range = (rules["minimum"]?.intValue ?? -1_000)...(rules["maximum"]?.intValue ?? 1_000_000)
      return RawJSON(
        [range.lowerBound, range.upperBound, .random(in: range, using: &random)].randomElement(using: &random) ?? 0)
    case "boolean": return RawJSON(Bool.random(using: &random))
    case "null": return .null
    default: return RawJSON(text(rules))
    }
  }

  private mutating func object(_ schema: JSONSchema) -> RawJSON {
    let required = Set((schema.schema["required"]?.elements ?? []).compactMap(\.stringValue))
    var members: [(String, RawJSON)] = []
    for member in schema.schema["properties"]?.members ?? [] {
      guard required.contains(member.name) || Bool.random(using: &random) else { continue }
      members.append((member.name, value(schema.with(member.value))))
    }
    return RawJSON(object: members)
  }

  private mutating func text(_ rules: RawJSON) -> String {
    switch rules["format"]?.stringValue {
    case "uuid": return ids.randomElement(using: &random) ?? ""
    case "date-time": return RFC3339.string(Demo.now + .random(in: -1e6...1e6, using: &random))
    default: break
    }
    let shortest = rules["minLength"]?.intValue ?? 0
    if let pattern = rules["pattern"], !String(String.UnicodeScalarView(Self.odd)).keeps("pattern", pattern) {
      let given =
        [rules["example"]?.stringValue].compactMap(\.self)
        + (rules["examples"]?.elements ?? []).compactMap(\.stringValue)
      let fitting = (given + Self.plain).filter { $0.keeps("pattern", pattern) && $0.count >= shortest }
      return fitting.randomElement(using: &random) ?? ""
    }
    let longest = min(rules["maxLength"]?.intValue ?? 40, 5_000)
    let size = [shortest, longest, .random(in: shortest...longest, using: &random)].randomElement(using: &random) ?? 0
    var text = String.UnicodeScalarView()
    for _ in 0..<size { text.append(Self.odd.randomElement(using: &random) ?? "a") }
    return String(text)
  }
}

extension JSONSchema {
  /// Another schema of the same document.
  func with(_ schema: RawJSON) -> JSONSchema { JSONSchema(schema: schema, references: references) }

  /// The schemas of its members by their paths, `push.level` for those further inside.
  func fields(_ prefix: String = "") -> [(path: [String], schema: JSONSchema)] {
    guard let schema = resolved else { return [] }
    let own = (schema.schema["properties"]?.members ?? []).map { ($0.name, schema.with($0.value)) }
    let parts = ["allOf", "oneOf", "anyOf"].flatMap { schema.schema[$0]?.elements ?? [] }
    return own.flatMap { name, inner in
      [([name], inner)] + inner.fields().map { ([name] + $0.path, $0.schema) }
    } + parts.flatMap { schema.with($0).fields() }
  }
}

extension RawJSON {
  /// A schema with the rules of another one besides, which count more.
  fileprivate func narrowed(by other: RawJSON) -> RawJSON {
    var members = members.map { ($0.name, $0.value) }
    for rule in other.members {
      guard let index = members.firstIndex(where: { $0.0 == rule.name }) else {
        members.append((rule.name, rule.value))
        continue
      }
      let own = members[index].1
      members[index].1 =
        switch (own.kind, rule.value.kind) {
        case (.object, .object): own.narrowed(by: rule.value)
        case (.array, .array) where rule.name == "required":
          RawJSON(array: (own.elements ?? []) + (rule.value.elements ?? []))
        default: rule.value
        }
    }
    return RawJSON(object: members)
  }
}
