import FunctionKit
import Testing

@testable import Openapi

/// The OpenAPI document as tests read it.
struct APIDescription {
  let document: RawJSON
  let operations: [Operation]

  /// The document that `openapi` serves.
  static let served = Result { try APIDescription(OpenAPIDocument.merged(OpenAPIDocument.parts)) }

  init(_ document: RawJSON) {
    self.document = document
    let references = document.referenced
    operations = (document["paths"]?.members ?? []).flatMap { path in
      path.value.members.compactMap { method in
        method.name == "parameters"
          ? nil
          : Operation(
            method: method.name.uppercased(), path: path.name, description: method.value, references: references,
            shared: path.value["parameters"]?.elements ?? [])
      }
    }
  }

  /// The operation that a request is for.
  func operation(_ method: String, _ path: String) -> Operation? {
    operations.filter { $0.method == method && $0.leads(to: path) }.min { $0.placeholders < $1.placeholders }
  }

  /// One method on one path.
  struct Operation: CustomTestStringConvertible {
    let method: String
    let path: String
    let description: RawJSON
    let references: [String: RawJSON]
    let shared: [RawJSON]

    var testDescription: String { route }
    var placeholders: Int { path.count { $0 == "{" } }
    var route: String { "\(method) \(path)" }
    var isSignedIn: Bool { description["security"]?.elements?.isEmpty == false }
    var parameters: [RawJSON] { (shared + (description["parameters"]?.elements ?? [])).map(followed) }
    /// The schema of a body in JSON.
    var request: JSONSchema? {
      let body = description["requestBody"].map(followed)
      return body?["content"]?.members.first?.name == "application/json" ? body.flatMap(schema) : nil
    }
    var responses: [(status: String, response: RawJSON)] {
      (description["responses"]?.members ?? []).map { ($0.name, followed($0.value)) }
    }
    /// Examples of a JSON body.
    var requestExamples: [RawJSON] {
      request == nil ? [] : description["requestBody"].map { examples(followed($0)) } ?? []
    }

    func parameters(in place: String) -> [RawJSON] { parameters.filter { $0["in"]?.stringValue == place } }

    func schema(_ message: RawJSON) -> JSONSchema? {
      message["content"]?.members.first?.value["schema"].map { JSONSchema(schema: $0, references: references) }
    }

    func examples(_ message: RawJSON) -> [RawJSON] {
      let media = message["content"]?.members.first?.value
      let several = media?["examples"]?.members.compactMap { followed($0.value)["value"] } ?? []
      return (media?["example"].map { [$0] } ?? []) + several
    }

    func leads(to path: String) -> Bool {
      let (own, given) = (segments(self.path), segments(path))
      return own.count == given.count
        && zip(own, given).allSatisfy { $0.first == "{" ? !$1.isEmpty : $0 == $1 }
    }

    private func segments(_ path: String) -> [Substring] {
      path.split(separator: "/", omittingEmptySubsequences: false)
    }

    private func followed(_ value: RawJSON) -> RawJSON {
      value["$ref"]?.stringValue.flatMap { references[$0] } ?? value
    }
  }
}

extension APIDescription.Operation {
  /// The differences of an answer from the description.
  func problems(of status: Int, _ body: String?) -> [String] {
    guard let response = responses.first(where: { $0.status == "\(status)" })?.response else {
      return ["\(route) is not said to answer \(status)"]
    }
    guard let schema = schema(response) else {
      return body == nil || body == "" ? [] : ["\(route) is said to answer \(status) without a body"]
    }
    guard let body else { return ["\(route) answers \(status) without a body"] }
    guard response["content"]?.members.first?.name == "application/json" else { return [] }
    guard let value = try? RawJSON(validating: Array(body.utf8)[...]) else {
      return ["\(route) answers \(status) with what is no JSON"]
    }
    return schema.problems(of: value).map { "\(route) \(status): \($0)" }
  }
}
