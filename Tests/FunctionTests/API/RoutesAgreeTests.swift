import API
import FunctionKit
import HTTP1
import Testing

@testable import Actions
@testable import Activity
@testable import Devices
@testable import Inbox
@testable import Openapi
@testable import Preferences
@testable import Travel
@testable import Unsubscribe

/// Answers of functions are described once, by their endpoints; `functions.json` and the OpenAPI document repeat it.
struct RoutesAgreeTests {
  /// The routes that each function answers.
  private static let answered: [String: [String]] = {
    let functions: [any APIFunction.Type] = [
      Actions.self, Activity.self, Devices.self, Inbox.self, Preferences.self, Travel.self, Unsubscribe.self,
    ]
    let routes = functions.map { ($0.name, $0.routes) }
    return Dictionary(routes + [(Openapi.name, Openapi.routes)]) { $0 + $1 }
  }()

  /// The routes of `functions.json`, for every function that is called over HTTP without the key.
  private func manifest() throws -> [String: [String]] {
    let manifest = try RawJSON(validating: Array(Repository.text("functions.json").utf8)[...])
    return (manifest["functions"]?.members ?? []).reduce(into: [:]) { routes, function in
      for trigger in function.value["triggers"]?.elements ?? [] {
        guard trigger["http"]?.stringValue == "function" || trigger["routes"] != nil else { continue }
        routes[function.name, default: []] += trigger["routes"]?.elements?.compactMap(\.stringValue) ?? []
      }
    }
  }

  @Test func functionsJSONHasTheRoutesOfTheEndpoints() throws {
    let manifest = try manifest()

    #expect(manifest.keys.sorted() == Self.answered.keys.sorted())
    for (function, routes) in Self.answered {
      #expect(differences(routes, manifest[function] ?? [], "functions.json") == [], "\(function)")
    }
  }

  @Test func theOpenAPIDocumentHasTheRoutesOfTheEndpoints() throws {
    let described = try APIDescription.served.get().operations.map(\.route)

    #expect(differences(Self.answered.values.flatMap(\.self), described, "the OpenAPI document") == [])
  }

  @Test func noTwoEndpointsAreForTheSameRequest() throws {
    let routes = try Self.answered.values.flatMap(\.self).map { try #require(RoutePattern($0)) }

    for (index, route) in routes.enumerated() {
      for other in routes[..<index] { #expect(!route.overlaps(other), "\(route), \(other)") }
    }
  }

  /// The routes that one has and the other lacks, names of parameters included.
  private func differences(_ answered: [String], _ said: [String], _ place: String) -> [String] {
    let twice = said.filter { route in said.count { $0 == route } > 1 }.map { "\(place) says \($0) twice" }
    return Set(answered).subtracting(said).sorted().map { "\(place) lacks \($0)" }
      + Set(said).subtracting(answered).sorted().map { "\(place) has \($0), which nothing answers" } + twice
  }
}

extension APIFunction {
  fileprivate static var routes: [String] { endpoints.map(\.route.description) }
}
