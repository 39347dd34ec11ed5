import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// The routes of `functions.json`, at a serving runner.
@Suite(.heavy)
struct RoutesTests {
  private static let manifest = """
    {"functions":{"api":{"executable":"\(BuiltExecutables.path(of: "echo"))","triggers":[{"http":"function",
      "routes":["GET /api/things/{id}","PATCH /api/things/{id}","POST /api/things"],"callsPerMinute":3}]}}}
    """

  private func serve(_ environment: [String: String] = [:]) async throws -> Served {
    try await RunningRunner(Self.manifest, environment: environment).start()
  }

  @Test func aFunctionSeesTheRouteThatLedToIt() async throws {
    let served = try await serve()

    let answer = try await served.request("/api/things/7?a=b")

    let data = try #require(answer.json?["data"])
    #expect(answer.status == 200)
    #expect(data["routeKey"]?.stringValue == "GET /api/things/{id}")
    #expect(data["rawPath"]?.stringValue == "/api/things/7")
    #expect(data["pathParameters"]?["id"]?.stringValue == "7")
    #expect(data["queryStringParameters"]?["a"]?.stringValue == "b")
  }

  @Test func whatIsNoRouteIsRefusedAsClientsOfAnAPIExpect() async throws {
    let served = try await serve()

    let nothing = try await served.request("/api/other")
    #expect(nothing.status == 404 && nothing.json?["error"] == RawJSON(true))
    #expect(try await served.request("/other").json?["code"]?.stringValue == "NOT_FOUND")
    let answer = try await served.request("/api/things/7", method: .post)
    #expect(answer.status == 405)
    #expect(answer.json?["error"] == RawJSON(true))
    #expect(answer.json?["reason"]?.stringValue == "The method POST is not allowed here.")
    #expect(answer.headers.contains { $0.name.lowercased() == "allow" && $0.value == "GET, HEAD, PATCH, OPTIONS" })
  }

  @Test func aCallerWhoCallsTooOftenWaits() async throws {
    let served = try await serve()
    let caller = ("Authorization", "Bearer a")
    for _ in 1...3 { #expect(try await served.request("/api/things/7", headers: [caller]).status == 200) }

    let answer = try await served.request("/api/things/7", headers: [caller])

    #expect(answer.status == 429)
    #expect(answer.json?["error"] == RawJSON(true))
    #expect(answer.headers.contains { $0.name.lowercased() == "retry-after" && (Int($0.value) ?? 0) > 0 })
    #expect(try await served.request("/api/things/7", headers: [("Authorization", "Bearer b")]).status == 200)
  }

  @Test func whoeverFollowsALinkOnAnotherSiteGetsThere() async throws {
    let served = try await serve()
    let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]

    #expect(try await served.request("/api/things/7", headers: link).status == 200)
    #expect(try await served.request("/api/things", method: .post, headers: link).status == 403)
    #expect(try await served.request("/functions/v1/api", headers: link).status == 403)
    #expect(try await served.request("/_/state", headers: link).status == 403)
    #expect(try await served.request("/api/things/7", headers: [link[0], ("Sec-Fetch-Mode", "cors")]).status == 403)
    #expect(try await served.request("/api/things/7", headers: Array(link.prefix(2))).status == 403)
  }

  @Test func onlyAPageThatIsNamedMayCallFromAnotherSite() async throws {
    let served = try await serve(["RUNNER_CORS_ORIGINS": "https://app.example.com"])
    let page = [("Origin", "https://app.example.com"), ("Sec-Fetch-Site", "cross-site")]

    let answer = try await served.request("/api/things/7", headers: page)
    #expect(answer.status == 200)
    #expect(
      answer.headers.contains {
        $0.name.lowercased() == "access-control-allow-origin" && $0.value == "https://app.example.com"
      })
    #expect(try await served.request("/api/things/7", headers: [("Origin", "https://evil.example")]).status == 403)
    #expect(try await served.call("api", headers: page).status == 403)
    #expect(try await served.request("/metrics", headers: page).status == 403)
  }

  @Test func withoutAnyNamedPageNoneMayCall() async throws {
    let served = try await serve()

    #expect(try await served.request("/api/things/7", headers: [("Origin", "https://app.example.com")]).status == 403)
  }

  @Test func requestsThatShowATokenAreNotKept() async throws {
    let served = try await serve()
    let token = "token-that-nobody-may-read"

    #expect(try await served.request("/api/things/7", headers: [("Authorization", "Bearer \(token)")]).status == 200)

    try await served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE function = 'api')")
    let kept = try await served.runner.database.query(
      "SELECT count(*) AS kept FROM runner.payloads p WHERE p::text LIKE '%' || \(token) || '%'")
    #expect(try kept.only().decode("kept", as: Int.self) == 0)
  }
}
