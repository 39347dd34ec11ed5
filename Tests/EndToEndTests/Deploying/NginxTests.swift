import Foundation
import FunctionKit
import TestSupport
import Testing

/// The exported configuration of nginx, in front of a runner.
@Suite(.heavy)
struct NginxTests {
  private static let manifest = """
    {"migrations":["apps"],"functions":{
      "look":{"executable":"look","mode":"oneshot","triggers":[{"http":"function","routes":["POST /api/v1/look/{id}","POST /api/v1/look.json"]}]},
      "limited":{"executable":"look","mode":"oneshot","triggers":[{"http":"function","callsPerMinute":2}]},
      "keyed":{"executable":"look","mode":"oneshot","triggers":[{"http":"key"}]},
      "row":{"executable":"look","mode":"oneshot"}}}
    """

  private static let appsAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\napp"

  @Test func whatAppsCallIsOpenAndWithTheirOwnAddress() async throws {
    let proxy = try await Proxy(Self.manifest)

    for path in ["/api/v1/look/7", "/functions/v1/look"] {
      let answer = try await proxy.call(
        path, "-d", "{}", "-H", "X-Forwarded-For: 192.0.2.66", "-H", "Forwarded: for=192.0.2.66", "-H",
        "X-Real-IP: 192.0.2.66", "-H", "X-Forwarded-Host: evil.example")
      #expect(answer.status == "200", "\(path): \(answer)")
    }
    let events = try proxy.served.runner.got()
    #expect(events.count == 2)
    let headers = try #require((events[0]["data"] ?? events[0])["headers"])
    #expect(headers["x-forwarded-for"]?.stringValue == "127.0.0.1")
    #expect(headers["x-forwarded-host"]?.stringValue == "push.example.com")
    #expect(headers["x-forwarded-proto"]?.stringValue == "https")
    #expect(headers["forwarded"] == nil && headers["x-real-ip"] == nil)
  }

  /// The runner has no key, and nginx calls from this machine.
  @Test func aFunctionThatNeedsTheKeyIsClosedWithoutOne() async throws {
    let proxy = try await Proxy(Self.manifest)

    for address in ["127.0.0.1", "127.0.0.9"] {
      let answer = try await proxy.call("/functions/v1/keyed", "-d", "{}", "--interface", address)
      #expect(answer.status == "401" && answer.body.contains("RUNNER_KEY"), "\(answer)")
    }
    #expect(try proxy.served.runner.got().isEmpty)
    #expect(try await proxy.served.call("keyed").status == 200)
    _ = try await proxy.served.program.line { $0.contains("Set RUNNER_KEY") }
  }

  @Test(arguments: [
    "/", "/metrics", "/_/health", "/_/ready", "/_/state", "/functions/v1/row", "/functions/v1/look/../row", "//_/state",
    "/%5f/state", "/api/v1/look/../../../_/state", "/api/v1/look/7/_/state", "/api/v1/look/..%2f..%2f..%2fmetrics",
    "/functions/v1/look%00", "/api/v1/look/7/%2e%2e/%2e%2e/%2e%2e/%2e%2e/metrics",
  ])
  func everythingElseIsClosed(_ path: String) async throws {
    let proxy = try await Proxy.shared(Self.manifest)

    let status = try await proxy.call(path).status

    // A path within the id of a route is an id, and not what it would lead to.
    #expect(["400", "404", "405"].contains(status), "\(path): \(status)")
  }

  /// A client that says that it is somebody else each time is stopped; another address is not.
  @Test func callsCountForTheClientWhateverItSays() async throws {
    let proxy = try await Proxy(Self.manifest)
    var statuses: [String] = []
    for number in 0..<30 where !statuses.contains("429") {
      let forged = "198.51.100.\(number)"
      statuses.append(
        try await proxy.call(
          "/functions/v1/limited", "-d", "{}", "-H", "X-Forwarded-For: \(forged), 127.0.0.1", "-H",
          "Forwarded: for=\(forged)", "--interface", "127.0.0.9"
        ).status)
    }

    #expect(statuses.count >= 3 && statuses.dropLast().allSatisfy { $0 == "200" } && statuses.last == "429")
    let other = try await proxy.call("/functions/v1/limited", "-d", "{}", "--interface", "127.0.0.8")
    #expect(other.status == "200")
    #expect(!proxy.served.program.lines.contains { $0.contains("198.51.100") })
  }

  /// nginx counts, for all paths together: here a call in a minute, and one more.
  @Test func theCallsOfAnAddressHaveALimit() async throws {
    let proxy = try await Proxy(Self.manifest, changing: ["rate=50r/s": "rate=1r/m", "burst=200": "burst=1"])
    var statuses: [String] = []
    for path in ["/functions/v1/look", "/api/v1/look/7", "/api/v1/look/8", "/api/v1/look.json"] {
      statuses.append(try await proxy.call(path, "-d", "{}", "--interface", "127.0.0.9").status)
    }

    #expect(statuses == ["200", "200", "429", "429"])
    #expect(try await proxy.call("/api/v1/look/7", "-d", "{}", "--interface", "127.0.0.8").status == "200")
    #expect(try proxy.served.runner.got().count == 3)
  }

  @Test func withoutTLSAClientIsSentToTheSameAddressWithIt() async throws {
    let proxy = try await Proxy.shared(Self.manifest)

    let head = try await proxy.callPlainly("/api/v1/look/7?a=b%20c").lowercased()

    #expect(head.hasPrefix("http/1.1 301 "), "\(head)")
    #expect(head.contains("\r\nlocation: https://push.example.com/api/v1/look/7?a=b%20c\r\n"), "\(head)")
  }

  @Test func nobodyLearnsWhichVersionItIs() async throws {
    let proxy = try await Proxy.shared(Self.manifest)

    let answer = try await proxy.call("/", "-i")

    #expect(answer.body.lowercased().contains("\r\nserver: nginx\r\n") && !answer.body.contains("nginx/"), "\(answer)")
  }

  /// As a browser posts the form of a page that came from there.
  @Test func aFormOfTheSitesOwnPageIsTaken() async throws {
    let proxy = try await Proxy.shared(Self.manifest)

    let answer = try await proxy.call(
      "/functions/v1/look", "-d", "turn=off", "-H", "Origin: https://push.example.com", "-H",
      "Sec-Fetch-Site: same-origin")

    #expect(answer.status == "200", "\(answer)")
  }

  @Test(arguments: [
    ["Origin: https://evil.example"], ["Origin: https://evil.example", "Sec-Fetch-Site: same-origin"],
    ["Origin: null"], ["Origin: http://push.example.com"], ["Origin: https://push.example.com.evil.example"],
    ["Origin: https://push.example.com", "Sec-Fetch-Site: cross-site"],
  ])
  func aPageOfAnotherSiteIsRefused(_ fields: [String]) async throws {
    let proxy = try await Proxy.shared(Self.manifest)

    let answer = try await proxy.call("/functions/v1/look", ["-d", "turn=off"] + fields.flatMap { ["-H", $0] })

    #expect(answer.status == "403" && answer.body.contains("CROSS_SITE"), "\(answer)")
  }

  @Test func anotherNameIsRefusedAndSoIsALargeBody() async throws {
    let proxy = try await Proxy.shared(Self.manifest)
    let body = try proxy.folder.write(String(repeating: "x", count: 1 << 21), to: "large")

    #expect(try await proxy.call("/api/v1/look/7", "-d", "{}", "-H", "Host: evil.example").status == "421")
    #expect(try await proxy.call("/api/v1/look/7", "--data-binary", "@\(body)").status == "413")
  }

  /// Requests that the runner does not answer go to the app's own server, as they came.
  @Test func theRestGoesToTheAppsOwnServer() async throws {
    let app = try ScriptedServer(.answer(Self.appsAnswer))
    let proxy = try await Proxy(Self.manifest, beside: "http://127.0.0.1:\(app.port)")

    for path in [
      "/", "/api/v1/auth/login", "/api/v1/look", "/api/v1/look_json", "/functions/v1/row", "/functions/v1/nothing",
      "/metrics", "/_/state", "/projects/7?a=b%20c",
    ] {
      let before = app.requests.count
      let answer = try await proxy.call(
        path, "--http1.1", "-H", "Origin: https://other.example", "-H", "X-Forwarded-For: 192.0.2.66", "-H",
        "Upgrade: websocket")
      let own = try await proxy.call("/api/v1/look/7", "-d", "{}")

      #expect(answer.status == "200" && answer.body == "app", "\(path): \(answer)")
      let head = try #require(app.requests.dropFirst(before).first, "\(path)").lowercased()
      #expect(head.hasPrefix("get \(path.lowercased()) http/1.1\r\n"), "\(head)")
      for field in [
        "host: push.example.com", "origin: https://other.example", "x-forwarded-for: 127.0.0.1",
        "x-forwarded-proto: https", "upgrade: websocket", "connection: upgrade",
      ] {
        #expect(head.contains("\r\n\(field)\r\n"), "\(field) is missing in \(head)")
      }
      #expect(own.body == "seen" && app.requests.count == before + 1, "\(path): \(own)")
    }
  }

  @Test func theAppsOwnServerDecidesHowLargeABodyMayBe() async throws {
    let app = try ScriptedServer(.answer(Self.appsAnswer))
    let proxy = try await Proxy(Self.manifest, beside: "http://127.0.0.1:\(app.port)")
    let body = try proxy.folder.write(String(repeating: "x", count: 1 << 21), to: "large")

    _ = try await proxy.call("/upload", "--data-binary", "@\(body)")

    #expect(app.requests.first?.contains("Content-Length: 2097152") == true, "\(app.requests)")
    #expect(try await proxy.call("/api/v1/look/7", "--data-binary", "@\(body)").status == "413")
  }

  /// Two framings of one request, in which a second one hides.
  @Test func aSmuggledRequestReachesNobody() async throws {
    let proxy = try await Proxy(Self.manifest)
    let hidden = "POST /api/v1/look/smuggled HTTP/1.1\r\nHost: push.example.com\r\nContent-Length: 2\r\n\r\n{}"

    for framing in [
      "Content-Length: 6\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 6",
      "Content-Length: 6\r\nContent-Length: 60", "Content-Length: 6, 60", "Transfer-Encoding: xchunked",
      "Transfer-Encoding: chunked, identity", "Transfer-Encoding : chunked\r\nContent-Length: 6",
      "Transfer-Encoding:\u{0B}chunked\r\nContent-Length: 6", "Content-Length: +6",
    ] {
      let request =
        "POST /api/v1/look/outer HTTP/1.1\r\nHost: push.example.com\r\n\(framing)\r\n\r\n0\r\n\r\n\(hidden)"
        + "GET /metrics HTTP/1.1\r\nHost: push.example.com\r\nConnection: close\r\n\r\n"

      let answer = try await proxy.send(request)

      #expect(answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 501"), "\(framing): \(answer)")
      #expect(!answer.contains("push_runner_up"), "\(framing)")
      #expect(try proxy.served.runner.got().isEmpty, "\(framing)")
    }
  }
}
