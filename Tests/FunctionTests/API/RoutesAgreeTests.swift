import API
import FunctionKit
import Testing

@testable import Actions
@testable import Activity
@testable import Devices
@testable import Inbox
@testable import Openapi
@testable import Preferences
@testable import Travel
@testable import Unsubscribe

/// What `functions.json` says of the API, and what the functions answer.
struct RoutesAgreeTests {
  private func expectSame<F: APIFunction>(_ function: F.Type) throws {
    try expectSame(F.name, F.endpoints.map { "\($0.method.rawValue) \($0.path)" })
  }

  private func expectSame(_ function: String, _ endpoints: [String]) throws {
    let manifest = try RawJSON(validating: Array(Repository.text("functions.json").utf8)[...])
    let trigger = manifest["functions"]?[function]?["triggers"]?.elements?.first
    let routes = trigger?["routes"]?.elements?.compactMap(\.stringValue) ?? []

    #expect(routes.sorted() == endpoints.sorted(), "\(function)")
    #expect(trigger?["http"]?.stringValue == "function")
  }

  @Test func everyEndpointHasItsRoute() throws {
    try expectSame(Actions.self)
    try expectSame(Devices.self)
    try expectSame(Preferences.self)
    try expectSame(Inbox.self)
    try expectSame(Activity.self)
    try expectSame(Unsubscribe.self)
    try expectSame(Travel.self)
    try expectSame("openapi", Openapi.routes)
  }

  @Test func everyFunctionWithRoutesIsComparedHere() throws {
    let manifest = try RawJSON(validating: Array(Repository.text("functions.json").utf8)[...])
    let routed = (manifest["functions"]?.members ?? []).filter { member in
      member.value["triggers"]?.elements?.contains { $0["routes"] != nil } == true
    }
    let compared = try Repository.text("Tests/FunctionTests/API/RoutesAgreeTests.swift")

    for member in routed {
      let type = member.name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
      #expect(
        compared.contains("expectSame(\(type).self)") || compared.contains("expectSame(\"\(member.name)\""),
        "\(member.name)")
    }
  }
}
