import FoundationEssentials
import FunctionKit

/// A schema of the OpenAPI document: as much of JSON Schema 2020-12 as the document uses.
///
/// A keyword that this does not know is a problem, and is never passed over.
struct JSONSchema {
  let schema: RawJSON
  /// The schemas that its references name.
  let references: [String: RawJSON]

  /// Keywords that only explain.
  private static let annotations: Set<String> = [
    "title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
    "contentEncoding", "contentMediaType",
  ]

  /// The schema with references followed; `nil` where one leads nowhere.
  var resolved: JSONSchema? {
    guard let reference = schema["$ref"]?.stringValue else { return self }
    return references[reference].flatMap { sub($0).resolved }
  }

  /// Every rule that a value breaks, each with its place; none for a valid value.
  func problems(of value: RawJSON, at path: String = "") -> [String] {
    if schema.kind == .bool { return schema == RawJSON(true) ? [] : ["\(path) may not be there"] }
    return schema.members.flatMap { problems(of: value, $0.name, $0.value, at: path) }
  }

  /// Keywords and formats that this does not know, in the schema and in those inside it.
  func unknown(at path: String) -> [String] {
    schema.kind == .bool ? [] : schema.members.flatMap { unknown($0.name, $0.value, at: path) }
  }

  private func sub(_ schema: RawJSON) -> JSONSchema { JSONSchema(schema: schema, references: references) }

  private func problems(of value: RawJSON, _ keyword: String, _ rule: RawJSON, at path: String) -> [String] {
    let wrong = { (isRight: Bool, what: String) in isRight ? [] : ["\(path) \(what)"] }
    switch keyword {
    case _ where Self.annotations.contains(keyword): return []
    case "$ref":
      guard let target = references[rule.stringValue ?? ""] else {
        return ["\(path): \(rule.text) leads nowhere"]
      }
      return sub(target).problems(of: value, at: path)
    case "type":
      let names = (rule.elements ?? [rule]).compactMap(\.stringValue)
      return wrong(names.contains { value.isA($0) }, "is no \(names.joined(separator: " or "))")
    case "enum": return wrong(rule.elements?.contains { $0.equals(value) } == true, "is none of \(rule.text)")
    case "const": return wrong(rule.equals(value), "is not \(rule.text)")
    case "allOf": return (rule.elements ?? []).flatMap { sub($0).problems(of: value, at: path) }
    case "anyOf": return wrong(matches(of: value, rule) > 0, "is nothing of anyOf")
    case "oneOf":
      let count = matches(of: value, rule)
      return wrong(count == 1, "is \(count) of oneOf")
    case "not": return wrong(!sub(rule).problems(of: value).isEmpty, "is what it may not be")
    case "required", "properties", "additionalProperties", "propertyNames", "minProperties", "maxProperties":
      return value.kind == .object ? problems(ofObject: value, keyword, rule, at: path) : []
    case "items", "minItems", "maxItems", "uniqueItems":
      return value.elements.map { problems(ofArray: $0, keyword, rule, at: path) } ?? []
    case "format", "pattern", "minLength", "maxLength":
      return value.stringValue.map { wrong($0.keeps(keyword, rule), "breaks \(keyword) \(rule.text)") } ?? []
    case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
      return value.number.map { wrong($0.keeps(keyword, rule.number ?? .nan), "breaks \(keyword) \(rule.text)") } ?? []
    default: return ["\(path): the keyword \(keyword) is unknown"]
    }
  }

  private func matches(of value: RawJSON, _ rule: RawJSON) -> Int {
    (rule.elements ?? []).count { sub($0).problems(of: value).isEmpty }
  }

  private func problems(ofObject value: RawJSON, _ keyword: String, _ rule: RawJSON, at path: String) -> [String] {
    let names = Set(value.members.map(\.name))
    switch keyword {
    case "required":
      return (rule.elements ?? []).compactMap(\.stringValue).filter { !names.contains($0) }.map {
        "\(path)/\($0) is missing"
      }
    case "properties":
      return rule.members.flatMap { member in
        value[member.name].map { sub(member.value).problems(of: $0, at: "\(path)/\(member.name)") } ?? []
      }
    case "propertyNames": return names.sorted().flatMap { sub(rule).problems(of: RawJSON($0), at: "\(path)/\($0)") }
    case "minProperties": return names.count >= rule.intValue ?? 0 ? [] : ["\(path) has too few members"]
    case "maxProperties": return names.count <= rule.intValue ?? 0 ? [] : ["\(path) has too many members"]
    default:
      let known = Set(schema["properties"]?.members.map(\.name) ?? [])
      return value.members.filter { !known.contains($0.name) }.flatMap {
        sub(rule).problems(of: $0.value, at: "\(path)/\($0.name)")
      }
    }
  }

  private func problems(ofArray elements: [RawJSON], _ keyword: String, _ rule: RawJSON, at path: String) -> [String] {
    switch keyword {
    case "items":
      return elements.enumerated().flatMap { sub(rule).problems(of: $0.element, at: "\(path)/\($0.offset)") }
    case "minItems": return elements.count >= rule.intValue ?? 0 ? [] : ["\(path) has too few elements"]
    case "maxItems": return elements.count <= rule.intValue ?? 0 ? [] : ["\(path) has too many elements"]
    default: return Set(elements.map(\.canonical)).count == elements.count ? [] : ["\(path) repeats an element"]
    }
  }

  private func unknown(_ keyword: String, _ rule: RawJSON, at path: String) -> [String] {
    let path = "\(path)/\(keyword)"
    switch keyword {
    case _ where Self.annotations.contains(keyword): return []
    case "type", "enum", "const", "required", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
      "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties":
      return []
    case "$ref":
      return references[rule.stringValue ?? ""] == nil ? ["\(path) leads nowhere"] : []
    case "format": return String.formats.contains(rule.stringValue ?? "") ? [] : ["\(path) is unknown"]
    case "pattern": return (try? Regex(rule.stringValue ?? "(")) == nil ? ["\(path) is no pattern"] : []
    case "items", "additionalProperties", "propertyNames", "not": return sub(rule).unknown(at: path)
    case "properties": return rule.members.flatMap { sub($0.value).unknown(at: "\(path)/\($0.name)") }
    case "allOf", "anyOf", "oneOf": return (rule.elements ?? []).flatMap { sub($0).unknown(at: path) }
    default: return ["\(path) is an unknown keyword"]
    }
  }
}
