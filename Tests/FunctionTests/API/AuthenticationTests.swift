import API
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import Devices

@Suite(.heavy)
struct AuthenticationTests {
  private func status(_ scene: APIScene, token: String?) async throws -> Int {
    try await scene.call(scene.devices, .get, "/api/v1/devices", as: nil, token: token).status
  }

  @Test(arguments: [nil, "unknown", "' OR '1'='1", String(repeating: "x", count: 5_000)])
  func whoShowsNoKnownTokenIsRefused(token: String?) async throws {
    let scene = try await APIScene()

    let answer = try await scene.call(scene.devices, .get, "/api/v1/devices", as: nil, token: token)

    #expect(answer.status == 401)
    #expect(answer.response.headers?["WWW-Authenticate"] == "Bearer")
    #expect(answer.reason == "Unauthorized")
  }

  @Test func aTokenOfOursIsStoredAsItsHashOnly() async throws {
    let scene = try await APIScene()

    let issued = try #require(try await scene.tokens.issue(to: "ADA@example.com", name: "test", lasting: 3_600))

    let token = issued.token.exposed
    #expect(token.hasPrefix("pf_") && token.count == 46)
    #expect(try await status(scene, token: token) == 200)
    #expect(try await scene.demo.number("SELECT count(*) FROM api_tokens WHERE token_hash = \(token)") == 0)
    let hash: String = try await scene.connection.query("SELECT token_hash FROM api_tokens").only().decode("token_hash")
    #expect(try await status(scene, token: hash) == 401)
  }

  @Test func anExpiredOrRevokedTokenIsRefused() async throws {
    let scene = try await APIScene()
    let short = try #require(try await scene.tokens.issue(to: "ada@example.com", name: "test", lasting: -1))
    let long = try #require(try await scene.tokens.issue(to: "ada@example.com", name: "test", lasting: 60))

    #expect(try await status(scene, token: short.token.exposed) == 401)
    #expect(try await scene.tokens.tokens(of: "ada@example.com").count == 2)
    let id = try #require(UUID(uuidString: long.listing.id))
    #expect(try await scene.tokens.revoke(id))
    #expect(try await status(scene, token: long.token.exposed) == 401)
    #expect(try await !scene.tokens.revoke(id))
  }

  @Test func aTokenOfFeedbackKitsServerIsAcceptedUntilItExpires() async throws {
    let scene = try await APIScene()
    #expect(try await status(scene, token: APIScene.token(of: .ada)) == 200)

    _ = try await scene.connection.query("UPDATE user_tokens SET expires_at = now() - interval '1 second'")

    #expect(try await status(scene, token: APIScene.token(of: .ada)) == 401)
  }

  /// The token and what it is shown for are looked up together: one statement, prepared once.
  @Test(arguments: ["/api/v1/devices", "/api/v1/notifications", "/api/v1/notifications/unread-count"])
  func aReadIsOneStatement(_ path: String) async throws {
    let scene = try await APIScene()

    for _ in 0..<2 {
      let answer =
        path.contains("devices")
        ? try await scene.call(scene.devices, .get, path) : try await scene.call(scene.inbox, .get, path)
      #expect(answer.status == 200)
    }

    let prepared = try await scene.connection.query(
      "SELECT statement FROM pg_prepared_statements WHERE statement NOT LIKE '%pg_prepared_statements%'")
    #expect(prepared.count == 1)
  }

  @Test(arguments: ["/api/v1/notifications", "/api/v1/notifications/unread-count"])
  func onlyAPersonLearnsWhatElseIsWrong(_ path: String) async throws {
    let scene = try await APIScene()
    let query = ["app": "nothing"]

    #expect(try await scene.call(scene.inbox, .get, path, token: "unknown", query: query).status == 401)
    #expect(try await scene.call(scene.inbox, .get, path, as: nil, query: query).status == 401)
    #expect(try await ![200, 401].contains(scene.call(scene.inbox, .get, path, query: query).status))
  }

  @Test func nobodyHasAnUnknownAddress() async throws {
    let scene = try await APIScene()

    #expect(try await scene.tokens.issue(to: "nobody@example.com", name: "test", lasting: 60) == nil)
  }

  @Test func whatIsNoEndpointIsNotFoundAndAnotherMethodIsNamed() async throws {
    let scene = try await APIScene()

    #expect(try await scene.call(scene.devices, .get, "/api/v1/device").status == 404)
    let answer = try await scene.call(scene.devices, .put, "/api/v1/devices")
    #expect(answer.status == 405)
    #expect(answer.response.headers?["Allow"] == "GET, HEAD")
  }

  @Test func aDatabaseThatIsAwayIsAnAnswer() async throws {
    let away = Connection(url: "postgresql://127.0.0.1:1/nowhere", applicationName: "test")
    let scene = try await APIScene()
    let function = Devices(tokens: TokenStore(away), store: DeviceStore(away))

    let answer = try await scene.call(function, .get, "/api/v1/devices")

    #expect(answer.status == 503)
    #expect(answer.response.headers?["Retry-After"] == "1")
    #expect(answer.reason == "The database is not available.")
  }
}
