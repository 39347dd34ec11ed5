import FunctionKit

/// The OpenAPI document, put together from a base and a part for each function.
enum OpenAPIDocument {
  /// What is put together, in the order in which it is shown; a file of `Documents` each.
  static let parts = [
    PackageResources.base_json, PackageResources.devices_json, PackageResources.preferences_json,
    PackageResources.inbox_json, PackageResources.activity_json, PackageResources.actions_json,
    PackageResources.travel_json, PackageResources.unsubscribe_json,
  ]

  /// The members by which parts add to one another; all others belong to one part.
  private static let shared: Set<String> = [
    "paths", "components", "components.schemas", "components.responses", "components.parameters",
    "components.examples", "components.headers",
  ]

  /// One document of all parts.
  ///
  /// - Throws: a ``FunctionError`` for a part that is no JSON object, and for a name that two parts define.
  static func merged(_ parts: [[UInt8]]) throws -> RawJSON {
    try merged(try parts.map { try RawJSON.members(validating: $0[...]) }, at: "")
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
