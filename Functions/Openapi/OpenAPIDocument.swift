import CDocuments
import FunctionKit

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
