import FoundationEssentials
import FunctionKit
import HTTPClient
import TestSupport
import Testing

/// Bad requests to the real API, by way of the gateway.
@Suite(.heavy)
struct APIGatewayTests {
  private static let ada = ("Authorization", "Bearer demo-ada")
  private static let json = ("Content-Type", "application/json")

  private func serve() async throws -> Served {
    try await RunningBundle().start().served
  }

  @Test func badRequestsAreRefusedInTheShapeThatClientsExpect() async throws {
    let served = try await serve()
    let register = "/api/v1/devices/register"
    let cases: [(what: String, method: HTTPCall.Method, path: String, body: [UInt8], status: Int)] = [
      ("over 64 KiB", .post, register, Self.text(of: 65_537), 413),
      ("1 MiB", .post, register, Self.text(of: 1 << 20), 413),
      ("over 1 MiB", .post, register, Self.text(of: 1_100_000), 413),
      ("half a document", .post, register, Array(#"{"token":"#.utf8), 400),
      ("not UTF-8", .post, register, [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], 400),
      ("deep nesting", .post, register, Array(String(repeating: "[", count: 20_000).utf8), 400),
      ("no body", .post, register, [], 400),
      ("an unknown path", .get, "/api/v1/nothing", [], 404),
      ("a path out of the API", .get, "/api/v1/devices/..%2f..%2fmetrics", [], 405),
      ("another method", .put, register, [], 405),
      ("somebody else's device", .delete, "/api/v1/devices/dd000000-0000-4000-8000-000000000002", [], 404),
    ]

    for (what, method, path, body, status) in cases {
      let answer = try await served.client.send(
        HTTPCall(method, served.url + path, headers: [Self.ada, Self.json], body: body))
      let document = try? RawJSON(validating: answer.body[...])
      #expect(answer.status == status, "\(what): \(String(decoding: answer.body, as: UTF8.self))")
      #expect(document?["error"] == RawJSON(true), "\(what)")
      #expect(document?["reason"]?.stringValue?.isEmpty == false, "\(what)")
    }
    let devices = try await served.request("/api/v1/devices", headers: [Self.ada])
    #expect(devices.status == 200 && devices.json?["devices"]?.elements?.isEmpty == false)
  }

  @Test(arguments: [
    ("/api/v1/devices/register", "POST, OPTIONS"), ("/api/v1/notifications/read-all", "POST, OPTIONS"),
    ("/api/v1/notifications/unread-count", "GET, HEAD, OPTIONS"),
    ("/api/v1/devices/dd000000-0000-4000-8000-000000000001", "DELETE, OPTIONS"),
  ])
  func allowNamesWhatWorks(_ path: String, _ methods: String) async throws {
    let served = try await serve()

    let refused = try await served.request(path, method: .patch, headers: [Self.ada])
    let asked = try await BuiltExecutables.run("/usr/bin/curl", ["-s", "-i", "-X", "OPTIONS", "\(served.url)\(path)"])

    #expect(refused.status == 405)
    #expect(refused.headers.first { $0.name.lowercased() == "allow" }?.value == methods)
    #expect(asked.stdout.contains("Allow: \(methods)\r\n"), "\(asked.stdout)")
    for method in [HTTPCall.Method.get, .post, .put, .patch, .delete] where !methods.contains(method.rawValue) {
      #expect(try await served.request(path, method: method, headers: [Self.ada]).status == 405, "\(method)")
    }
  }

  /// Requests that are refused before their function hears of them are described for every operation.
  @Test(arguments: [
    ("a path that is too long", 414, ["URL/api/v1/devices?app=\(String(repeating: "a", count: 20_000))"]),
    ("fields that are too large", 431, ["URL/api/v1/devices", "-H", "X: \(String(repeating: "a", count: 20_000))"]),
    ("a malformed field", 400, ["URL/api/v1/devices", "-H", "Content-Length: x"]),
    ("a foreign page", 403, ["URL/api/v1/devices", "-H", "Origin: https://evil.example"]),
    ("a foreign host", 403, ["URL/api/v1/devices", "-H", "Host: evil.example"]),
  ])
  func whatTheGatewayRefusesIsInTheDocument(_ what: String, _ status: Int, _ request: [String]) async throws {
    let served = try await serve()
    let words = request.map { $0.replacing("URL", with: served.url) }

    let answer = try await BuiltExecutables.run("/usr/bin/curl", ["-s", "-w", "\n%{http_code}"] + words)

    let lines = answer.stdout.split(separator: "\n")
    #expect(lines.last == "\(status)", "\(what)")
    let body = try RawJSON(validating: Array((lines.first ?? "").utf8)[...])
    let document = try #require(try await served.request("/openapi.json").json)
    let refusal = document["components"]?["schemas"]?["Refusal"]
    #expect(Set(body.members.map(\.name)) == Set((refusal?["properties"]?.members ?? []).map(\.name)), "\(what)")
    for path in document["paths"]?.members ?? [] {
      for operation in path.value.members {
        #expect(operation.value["responses"]?["\(status)"] != nil, "\(operation.name) \(path.name)")
      }
    }
  }

  @Test func theDescriptionOfTheAPIIsServedToEverybody() async throws {
    let served = try await serve()

    let answer = try await served.request("/openapi.json")

    #expect(answer.status == 200)
    #expect(answer.json?["openapi"]?.stringValue == "3.1.0")
    let tag = try #require(answer.headers.first { $0.name.lowercased() == "etag" }?.value)
    let again = try await served.request("/openapi.json", headers: [("If-None-Match", tag)])
    #expect(again.status == 304 && again.text.isEmpty)
  }

  @Test func aPageOfAnotherSiteIsNotToldThatItMayCall() async throws {
    let served = try await serve()

    let answer = try await BuiltExecutables.run(
      "/usr/bin/curl",
      [
        "-s", "-i", "-X", "OPTIONS", "\(served.url)/api/v1/devices", "-H", "Origin: https://evil.example",
        "-H", "Access-Control-Request-Method: GET",
      ])

    #expect(answer.stdout.hasPrefix("HTTP/1.1 403"), "\(answer.stdout)")
    #expect(!answer.stdout.lowercased().contains("access-control-allow"))
  }

  private static func text(of size: Int) -> [UInt8] {
    Array(("{\"token\":\"" + String(repeating: "x", count: size - 12) + "\"}").utf8)
  }
}
