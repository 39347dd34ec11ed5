import CDocuments
import FunctionKit
import Notifications

extension OpenAPIDocument {
  /// The part that comes from the apps' profiles: their names, preferences and switches.
  static var apps: [UInt8] {
    var schemas = [("App", schema("string", [("enum", RawJSON(array: App.allCases.map { RawJSON($0.rawValue) }))]))]
    var changes: [(String, RawJSON)] = []
    var answers = [reference("UserPreferences")]
    for app in App.allCases where !app.profile.preferences.hasSwitchesInUsers {
      let switches = PersonalSwitch.all(of: app)
      let name = app.profile.title.filter { $0 != " " }
      answers.append(reference("\(name)Preferences"))
      schemas.append(("\(name)Preferences", object(members(of: app, name))))
      schemas.append(("\(name)Switches", object(switches.map { ($0.name, $0.shown) })))
      let push = object(switches.map { ($0.name, schema("boolean")) })
      schemas.append(
        ("\(name)Effective", object([("push", push)], "What the master switch and the switches come to.")))
      changes += switches.filter { new in !changes.contains { $0.0 == new.name } }.map { ($0.name, $0.change) }
    }
    let description = RawJSON("The switches of the other apps; null goes back to the default.")
    schemas.append(
      ("SwitchesChange", schema("object", [("description", description), ("properties", RawJSON(object: changes))])))
    schemas.append(("AnyPreferences", RawJSON(object: [("oneOf", RawJSON(array: answers))])))
    return Array(RawJSON(object: [("components", RawJSON(object: [("schemas", RawJSON(object: schemas))]))]).bytes)
  }

  private static func members(of app: App, _ name: String) -> [(String, RawJSON)] {
    let parts = RawJSON(trusting: Array(String(cString: shim_preferences()).utf8))["components"]?["schemas"]
    let names = ["AppSettings"] + (app.profile.preferences.limitsAnalyses ? ["AnalysisSettings"] : [])
    let settings = names.flatMap { parts?[$0]?["properties"]?.members ?? [] }
    return [
      ("app", schema("string", [("const", RawJSON(app.rawValue))])),
      ("userId", schema("string", [("format", RawJSON("uuid"))])), ("switches", reference("\(name)Switches")),
      ("effectivePreferences", reference("\(name)Effective")),
    ] + settings.map { ($0.name, $0.value) }
  }

  private static func reference(_ schema: String) -> RawJSON {
    RawJSON(object: [("$ref", RawJSON("#/components/schemas/\(schema)"))])
  }

  private static func schema(_ type: String, _ members: [(String, RawJSON)] = []) -> RawJSON {
    RawJSON(object: [("type", RawJSON(type))] + members)
  }

  private static func object(_ properties: [(String, RawJSON)], _ description: String? = nil) -> RawJSON {
    schema(
      "object",
      (description.map { [("description", RawJSON($0))] } ?? []) + [
        ("properties", RawJSON(object: properties)), ("required", RawJSON(array: properties.map { RawJSON($0.0) })),
        ("additionalProperties", RawJSON(false)),
      ])
  }
}

extension PersonalSwitch {
  private static let orNull = RawJSON(array: [RawJSON("boolean"), RawJSON("null")])

  /// The schema of the switch in an answer.
  fileprivate var shown: RawJSON {
    guard canBeSilenced else {
      return RawJSON(object: [("const", RawJSON(true)), ("description", RawJSON("It cannot be switched off."))])
    }
    guard let shared = standard == nil ? kinds[0].preference.shared : nil else {
      return RawJSON(object: [("type", RawJSON("boolean"))])
    }
    let description = RawJSON("null follows \(Self.name(of: shared[...])).")
    return RawJSON(object: [("type", Self.orNull), ("description", description)])
  }

  /// The schema of the switch in a change.
  fileprivate var change: RawJSON { canBeSilenced ? RawJSON(object: [("type", Self.orNull)]) : shown }
}
