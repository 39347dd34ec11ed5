import API
import FunctionKit
import TestSupport
import Testing

@testable import Preferences

/// What the document says of the answers, against the answers.
@Suite(.makesDatabases)
struct PreferencesDocumentTests {
  private let document: RawJSON

  init() throws {
    let text = try Repository.text("Functions/Openapi/Documents/preferences.json")
    document = try RawJSON(validating: Array(text.utf8)[...])
  }

  private func schema(_ name: String) -> RawJSON { document["components"]?["schemas"]?[name] ?? .null }

  /// Where a value and its schema differ, as paths.
  private func differences(_ value: RawJSON, _ schema: RawJSON, _ path: String = "") -> [String] {
    if let name = schema["$ref"]?.stringValue?.split(separator: "/").last {
      return differences(value, self.schema(String(name)), path)
    }
    let types = schema["type"]?.elements?.compactMap(\.stringValue) ?? [schema["type"]?.stringValue ?? "none"]
    guard types.contains(value.typeName) else { return ["\(path) is \(value.typeName) and not \(types)"] }
    if let choices = schema["enum"]?.elements, !choices.contains(value) { return ["\(path) is no choice"] }
    guard value.kind == .object else { return [] }
    let properties = schema["properties"]?.members ?? []
    let names = value.members.map(\.name)
    let required = schema["required"]?.elements?.compactMap(\.stringValue) ?? []
    guard Set(names) == Set(properties.map(\.name)), Set(names) == Set(required) else { return ["\(path): \(names)"] }
    return properties.flatMap { differences(value[$0.name] ?? .null, $0.value, "\(path)/\($0.name)") }
  }

  @Test(arguments: [
    (APIScene.personal, "feedbackkit", "UserPreferences"), (APIScene.personal, "lockitin", "LockItInPreferences"),
    (APIScene.personal, "repairminder", "RepairMinderPreferences"),
    (APIScene.personal, "mugshot", "MugshotPreferences"),
    (APIScene.personal, "messageai", "MessageAIPreferences"), (APIScene.projectPath, nil, "ProjectPreferences"),
    (APIScene.groupPath, nil, "GroupPreferences"), (APIScene.proposal, nil, "ProposalPreferences"),
  ])
  func answersAreAsTheSchemaSays(_ path: String, _ app: String?, _ name: String) async throws {
    let scene = try await APIScene()

    #expect(differences(try await scene.read(path, app: app).json, schema(name)) == [])
    let body = """
      {"quietHours":{"enabled":true,"start":"01:00","end":"02:00","timezone":"UTC"},"hourlyLimit":2,"voteCast":true,
       "maxAnalysesPerHour":3,"fallbackStrategy":"simple_rules","push":{"votes":true,"voteUpdates":false},
       "switches":{"votingDeadline":true}}
      """
    #expect(differences(try await scene.patch(path, app: app, body).json, schema(name)) == [])
  }

  @Test func everyEndpointHasExamplesThatItsSchemaAllows() throws {
    for endpoint in Preferences.endpoints {
      let operation = document["paths"]?["\(endpoint.path)"]?[endpoint.method.rawValue.lowercased()]
      let media = try #require(operation?["responses"]?["200"]?["content"]?["application/json"])
      let schemas = media["schema"]?["oneOf"]?.elements ?? [media["schema"] ?? .null]
      let examples = media["examples"]?.members.compactMap { $0.value["value"] } ?? [media["example"] ?? .null]
      #expect(!examples.isEmpty)
      for example in examples {
        #expect(schemas.filter { differences(example, $0).isEmpty }.count == 1, "\(endpoint.path)")
      }
    }
  }
}

extension RawJSON {
  fileprivate var typeName: String {
    switch kind {
    case .object: "object"
    case .array: "array"
    case .string: "string"
    case .number: "integer"
    case .bool: "boolean"
    case .null: "null"
    }
  }
}
