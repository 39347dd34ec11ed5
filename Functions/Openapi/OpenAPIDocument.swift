import CDocuments
import FunctionKit
import Notifications

/// The OpenAPI document, merged from a base and a part for each function.
enum OpenAPIDocument {
  /// The parts in the order of the document: the files of `Documents`, and the apps.
  static let parts: [[UInt8]] = {
    let texts: [UnsafePointer<CChar>] = [
      shim_base(), shim_devices(), shim_preferences(), shim_inbox(), shim_activity(), shim_actions(), shim_travel(),
      shim_unsubscribe(), shim_timezones(),
    ]
    return texts.map { Array(String(cString: $0).utf8) } + [apps]
  }()

  /// The members to which several parts may add; every other member belongs to one part.
  private static let shared: Set<String> = [
    "paths", "components", "components.schemas", "components.responses", "components.parameters",
    "components.examples", "components.headers",
  ]

  /// The member of a part with answers for every operation; an operation's own answer for a status overrides it.
  private static let everywhere = "x-everywhere"

  /// Merges all parts into one document.
  ///
  /// - Throws: a ``FunctionError`` for a part that is no JSON object, or for a name that two parts define.
  static func merged(_ parts: [[UInt8]]) throws -> RawJSON {
    let document = try merged(try parts.map { try RawJSON.members(validating: $0[...]) }, at: "")
    let answers = document[everywhere]?.members ?? []
    let members = document.members.filter { $0.name != everywhere }.map { member in
      (member.name, member.name == "paths" ? member.value.mapped { $0.mapped { $0.answering(answers) } } : member.value)
    }
    return RawJSON(object: members)
  }

  private static func merged(_ objects: [[RawJSON.Member]], at path: String) throws(FunctionError) -> RawJSON {
    var names: [String] = []
    var values: [String: [RawJSON]] = [:]
    for member in objects.joined() {
      if values[member.name] == nil { names.append(member.name) }
      values[member.name, default: []].append(member.value)
    }
    var members: [(String, RawJSON)] = []
    for name in names {
      let (place, given) = (path + name, values[name] ?? [])
      if shared.contains(place) {
        members.append((name, try merged(given.map(\.members), at: "\(place).")))
      } else if given.count == 1 {
        members.append((name, given[0]))
      } else {
        throw FunctionError(.failed, "Two parts of the OpenAPI document define \(place).")
      }
    }
    return RawJSON(object: members)
  }

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

extension RawJSON {
  /// The object with each value replaced.
  fileprivate func mapped(_ change: (RawJSON) -> RawJSON) -> RawJSON {
    RawJSON(object: members.map { ($0.name, change($0.value)) })
  }

  /// Adds answers to an operation, by their statuses.
  fileprivate func answering(_ answers: [Member]) -> RawJSON {
    guard kind == .object else { return self }
    return RawJSON(
      object: members.map { member in
        guard member.name == "responses" else { return (member.name, member.value) }
        let own = member.value.members
        let others = answers.filter { answer in !own.contains { $0.name == answer.name } }
        return (
          member.name, RawJSON(object: (own + others).sorted { $0.name < $1.name }.map { ($0.name, $0.value) })
        )
      })
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
