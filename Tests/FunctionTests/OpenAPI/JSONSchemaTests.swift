import FunctionKit
import Testing

/// The validator that the API's tests trust.
struct JSONSchemaTests {
  private func problems(_ schema: String, _ value: String) throws -> [String] {
    let document = try RawJSON(validating: Array(#"{"a":{"b":{"type":"integer"}},"schema":\#(schema)}"#.utf8)[...])
    let schema = try #require(document["schema"])
    let references = RawJSON(object: document.members.map { ($0.name, $0.value) }).referenced
    return JSONSchema(schema: schema, references: references)
      .problems(of: try RawJSON(validating: Array(value.utf8)[...]))
  }

  @Test(arguments: [
    (#"{"type":"string","maxLength":2}"#, #""ab""#, #""abc""#),
    (#"{"type":["boolean","null"]}"#, "null", "0"),
    (#"{"type":"integer","minimum":1,"maximum":3}"#, "3", "4"),
    (#"{"type":"integer"}"#, "1e2", "1.5"),
    (#"{"type":"array","items":{"type":"string"},"minItems":1}"#, #"["a"]"#, "[1]"),
    (#"{"enum":["a",null]}"#, "null", #""b""#),
    (#"{"const":{"a":1,"b":2}}"#, #"{"b":2,"a":1.0}"#, #"{"a":1}"#),
    (#"{"required":["a"],"properties":{"a":{"type":"string"}}}"#, #"{"a":"","b":1}"#, #"{"b":1}"#),
    (#"{"properties":{"a":{}},"additionalProperties":false}"#, #"{"a":1}"#, #"{"a":1,"b":1}"#),
    (#"{"additionalProperties":{"type":"string"}}"#, #"{"a":"x"}"#, #"{"a":1}"#),
    (##"{"$ref":"#/a/b"}"##, "7", #""7""#),
    (#"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#, "1.5", "1"),
    (#"{"anyOf":[{"type":"integer"},{"type":"string"}]}"#, #""a""#, "null"),
    (#"{"allOf":[{"type":"integer"},{"minimum":2}]}"#, "2", "1"),
    (#"{"format":"uuid"}"#, #""A0000000-0000-4000-8000-000000000001""#, #""a0000000""#),
    (#"{"format":"date-time"}"#, #""2026-09-21T14:13:20.000Z""#, #""2026-09-21""#),
    (#"{"pattern":"^[!-~]+$"}"#, #""a""#, #""a b""#),
    (#"{"type":"array","uniqueItems":true}"#, "[1,2]", "[1,1.0]"),
  ])
  func aValueIsValidOrNot(_ schema: String, _ valid: String, _ invalid: String) throws {
    #expect(try problems(schema, valid) == [])
    #expect(try !problems(schema, invalid).isEmpty)
  }

  @Test func whatItDoesNotKnowItRefuses() throws {
    #expect(try problems(#"{"if":{}}"#, "1") == [": the keyword if is unknown"])
    #expect(try !problems(#"{"format":"hostname"}"#, #""a""#).isEmpty)
    #expect(try problems(##"{"$ref":"#/nowhere"}"##, "1") == [##": "#/nowhere" leads nowhere"##])
  }
}
