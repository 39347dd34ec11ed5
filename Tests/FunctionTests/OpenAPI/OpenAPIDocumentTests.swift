import FoundationEssentials
import FunctionKit
import Testing

@testable import API
@testable import Openapi

/// The OpenAPI document itself.
struct OpenAPIDocumentTests {
  private let description: APIDescription

  init() throws { description = try APIDescription.served.get() }

  @Test func everyPartIsServed() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Repository.path("Functions/Openapi/Documents"))

    #expect(files.count + 1 == OpenAPIDocument.parts.count, "\(files.sorted())")
    for file in files {
      let text = Array(try Repository.text("Functions/Openapi/Documents/\(file)").utf8)
      #expect(OpenAPIDocument.parts.contains(text), "\(file) is not embedded")
    }
  }

  @Test func everyReferenceLeadsSomewhere() {
    let document = description.document
    #expect(Set(document.references).subtracting(document.referenced.keys).sorted() == [])
  }

  @Test func itsSchemasUseWhatTheTestsUnderstand() {
    let references = description.document.referenced
    let schemas = (description.document["components"]?["schemas"]?.members ?? []).map { ($0.name, $0.value) }
    let inline = description.operations.flatMap { operation in
      let messages =
        operation.responses.compactMap { operation.schema($0.response) } + [operation.request].compactMap(\.self)
      return messages.map { (operation.route, $0.schema) }
        + operation.parameters.map { ("\(operation.route) \($0["name"]?.text ?? "")", $0["schema"] ?? RawJSON(1)) }
    }

    for (name, schema) in schemas + inline {
      #expect(JSONSchema(schema: schema, references: references).unknown(at: name) == [])
    }
  }

  @Test func everyOperationHasANameOfItsOwnAndSaysWhoMayCall() {
    let names = description.operations.map { $0.description["operationId"]?.stringValue ?? "" }

    #expect(Set(names).count == names.count)
    for operation in description.operations {
      #expect(operation.description["operationId"]?.stringValue?.isEmpty == false, "\(operation.route)")
      #expect(operation.description["summary"]?.stringValue?.isEmpty == false, "\(operation.route)")
      let security = operation.description["security"]
      #expect(
        security?.canonical == #"[{"bearer":[]}]"# || security?.elements == [], "\(operation.route)")
    }
  }

  @Test func everyAnswerThatAnOperationCanGiveIsDescribed() {
    for operation in description.operations {
      // The gateway gives most of them.
      var expected = ["400", "403", "413", "414", "429", "431", "500", "501", "502", "503", "504"]
      if operation.isSignedIn { expected.append("401") }
      if operation.path.contains("{") { expected.append("404") }
      if operation.request != nil { expected.append("415") }
      let described = Set(operation.responses.map(\.status))

      #expect(Set(expected).subtracting(described).sorted() == [], "\(operation.route)")
      #expect(described.contains { $0.hasPrefix("2") }, "\(operation.route)")
      let placeholders = operation.path.split(separator: "/").filter { $0.first == "{" }.map {
        $0.dropFirst().dropLast()
      }
      let named = operation.parameters(in: "path").compactMap { $0["name"]?.stringValue }
      #expect(Set(placeholders.map(String.init)) == Set(named), "\(operation.route)")
      #expect(operation.parameters(in: "path").allSatisfy { $0["required"] == RawJSON(true) }, "\(operation.route)")
    }
  }

  @Test func everyErrorHasTheShapeOfErrors() {
    for operation in description.operations {
      for (status, response) in operation.responses where status >= "400" {
        let schema = operation.schema(response)?.schema
        let names = ([schema?["$ref"]] + (schema?["oneOf"]?.elements ?? []).map { $0["$ref"] })
          .compactMap { $0?.stringValue?.split(separator: "/").last }
        let isOfTheGateway = ["403", "414", "431"].contains(status)
        #expect(
          names == (isOfTheGateway ? ["Refusal"] : status == "400" ? ["Error", "Refusal"] : ["Error"])
            || response["content"]?.members.first?.name == "text/html", "\(operation.route) \(status)")
      }
    }
  }

  @Test func answersSayEverythingTheyHold() {
    for operation in description.operations {
      for (status, response) in operation.responses {
        let open = operation.schema(response).map { $0.openObjects(at: "\(operation.route) \(status)") } ?? []
        #expect(open == [])
      }
    }
  }

  /// An app need not ask whether one is there.
  @Test func everyPreferenceIsInEveryAnswer() {
    let preferences = (description.document["components"]?["schemas"]?.members ?? []).filter {
      $0.name.hasSuffix("Preferences")
    }
    #expect(!preferences.isEmpty)
    for schema in preferences {
      let required = schema.value["required"]?.elements?.compactMap(\.stringValue) ?? []
      #expect(Set(required) == Set(schema.value["properties"]?.members.map(\.name) ?? []), "\(schema.name)")
    }
  }

  @Test func everyTimeZoneOfTheDocumentIsTaken() {
    let zones = description.document["components"]?["schemas"]?["TimeZone"]?["enum"]?.elements ?? []

    #expect(zones.count > 400)
    for zone in zones { #expect(FieldRule.timeZone.read(zone) != nil, "\(zone.text)") }
  }

  @Test func everyExampleIsValid() {
    for operation in description.operations {
      for example in operation.requestExamples {
        #expect(operation.request?.problems(of: example) == [], "\(operation.route)")
      }
      #expect(operation.request == nil || !operation.requestExamples.isEmpty, "\(operation.route)")
      for (status, response) in operation.responses {
        guard let schema = operation.schema(response) else { continue }
        #expect(!operation.examples(response).isEmpty, "\(operation.route) \(status)")
        for example in operation.examples(response) {
          #expect(schema.problems(of: example) == [], "\(operation.route) \(status)")
        }
      }
    }
  }

  @Test func anAnswerThatEveryOperationGivesIsWrittenOnce() throws {
    let part = Array(
      #"{"x-everywhere":{"400":{"a":1},"500":{}},"paths":{"/a":{"get":{"responses":{"400":{"b":2},"200":{}}}}}}"#.utf8)

    #expect(
      try OpenAPIDocument.merged([part]).text
        == #"{"paths":{"/a":{"get":{"responses":{"200":{},"400":{"b":2},"500":{}}}}}}"#)
  }

  @Test func aNameThatTwoPartsDefineIsAnError() throws {
    let part = Array(#"{"paths":{"/a":{"get":{}}},"components":{"schemas":{"A":{}}}}"#.utf8)
    let other = Array(#"{"paths":{"/b":{}},"components":{"schemas":{"B":{}}}}"#.utf8)

    #expect(
      try OpenAPIDocument.merged([part, other]).text
        == #"{"paths":{"/a":{"get":{}},"/b":{}},"components":{"schemas":{"A":{},"B":{}}}}"#)
    for (twice, place) in [
      (#"{"paths":{"/a":{}}}"#, "paths./a"), (#"{"components":{"schemas":{"A":1}}}"#, "components.schemas.A"),
    ] {
      let error = #expect(throws: FunctionError.self) { try OpenAPIDocument.merged([part, Array(twice.utf8)]) }
      #expect(error?.message == "Two parts of the OpenAPI document define \(place).")
    }
  }
}

extension JSONSchema {
  /// The objects in it that do not say whether they may hold more than their properties.
  fileprivate func openObjects(at path: String) -> [String] {
    var inner = (schema["properties"]?.members ?? []).map { ($0.name, $0.value) }
    inner += ["items", "additionalProperties"].compactMap { name in schema[name].map { (name, $0) } }
    inner += ["allOf", "anyOf", "oneOf"].flatMap { name in (schema[name]?.elements ?? []).map { (name, $0) } }
    inner += (schema["$ref"]?.stringValue).flatMap { references[$0] }.map { [("", $0)] } ?? []
    let own = schema["properties"] != nil && schema["additionalProperties"] == nil ? [path] : []
    return own
      + inner.flatMap { JSONSchema(schema: $0.1, references: references).openObjects(at: "\(path)/\($0.0)") }
  }
}
