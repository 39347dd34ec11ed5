import EventLoop
import FoundationEssentials
import HTTP2
import TestSupport
import Testing

struct ProxyTests {
  @Test func requestsGoThroughTheTunnel() async throws {
    try await withServer(hosts: ["push.example"], answer: { _ in .ok }) { test in
      let tunnel = try TunnelProxy(to: test.way)

      // The name has no address here: only the proxy may ask for one.
      let client = try await connect(test, by: Proxy(tunnel.endpoint, user: "me".utf8, password: "secret".utf8))

      #expect(await client.send(.sample(), timeout: .seconds(120)).status == 200)
      let host = "push.example:\(test.server.endpoint.port)"
      #expect(
        tunnel.heads
          == ["CONNECT \(host) HTTP/1.1\r\nHost: \(host)\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n"])
      await client.close()
    }
  }

  @Test func everyByteOfUserAndPasswordArrives() async throws {
    try await withServer { test in
      let tunnel = try TunnelProxy(answer: ["HTTP/1.1 407 No\r\n\r\n"], to: .end)
      let bytes = Array(UInt8.min...UInt8.max)
      let user = bytes.filter { $0 != UInt8(ascii: ":") }
      let proxy = try #require(
        Proxy(url: "\(encoded(user)):\(encoded(bytes))%2541@\(tunnel.endpoint)"))

      await #expect(throws: HTTP2Error.proxyRefused(answer: "HTTP/1.1 407 No")) {
        try await connect(test, by: proxy)
      }

      let value = Data(user + Array(":".utf8) + bytes + Array("%41".utf8)).base64EncodedString()
      #expect(tunnel.heads.count == 1 && tunnel.heads[0].contains("\r\nProxy-Authorization: Basic \(value)\r\n"))
    }
  }

  private func encoded(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
  }

  @Test func anAnswerInPiecesIsRead() async throws {
    try await withServer(hosts: ["push.example"], answer: { _ in .ok }) { test in
      let answer = "HTTP/1.0 200 OK\r\nVia: 1.0 somebody\r\n\r\n".map(String.init)
      let tunnel = try TunnelProxy(answer: answer, to: test.way)

      let client = try await connect(test, by: Proxy(tunnel.endpoint))

      #expect(await client.send(.sample(), timeout: .seconds(120)).status == 200)
      #expect(tunnel.heads.count == 1 && !tunnel.heads[0].contains("Authorization"))
      await client.close()
    }
  }

  @Test func theCertificateMustBeTheServersAndNotTheProxys() async throws {
    try await withServer(hosts: ["localhost", "127.0.0.1"]) { test in
      let tunnel = try TunnelProxy(to: test.way)

      await #expect(throws: HTTP2Error.certificateRefused(reason: "hostname mismatch")) {
        try await connect(test, by: Proxy(tunnel.endpoint))
      }
    }
  }

  @Test(arguments: [
    (
      ["HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n"],
      HTTP2Error.proxyRefused(answer: "HTTP/1.1 407 Proxy Authentication Required")
    ),
    (["HTTP/1.1 403 \u{1B}No\u{7F}\r\n\r\n"], .proxyRefused(answer: "HTTP/1.1 403 ?No?")),
    (["HTTP/1.1 502 Bad Gateway\r\n\r\n"], .beyondProxy(answer: "HTTP/1.1 502 Bad Gateway")),
    (["HTTP/1.1 503 \u{1B}No\u{7F}\r\n\r\n"], .beyondProxy(answer: "HTTP/1.1 503 ?No?")),
    (["HTTP/1.1 504 Timeout\r\n\r\n"], .beyondProxy(answer: "HTTP/1.1 504 Timeout")),
    (["SSH-2.0-OpenSSH_9.2\r\n\r\n"], .proxyFailed(reason: "the proxy does not answer by HTTP")),
    ([], .proxyFailed(reason: "the proxy closed the connection")),
    (["HTTP/1.1 200 OK\r\n\r\nHello"], .proxyFailed(reason: "the proxy sends more than an answer")),
  ])
  func anAnswerThatIsNoTunnelIsReported(answer: [String], error: HTTP2Error) async throws {
    try await withServer { test in
      let tunnel = try TunnelProxy(answer: answer, to: .end)

      await #expect(throws: error) { try await connect(test, by: Proxy(tunnel.endpoint)) }
    }
  }

  @Test(arguments: ["127.0.0.1", String(repeating: "x", count: 64)])
  func aProxyThatIsNotThereIsSaidToBeTheProxy(host: String) async throws {
    try await withServer { test in
      await #expect {
        try await connect(test, by: Proxy(Endpoint(host: host, port: 1)))
      } throws: {
        "\($0)".hasPrefix("the proxy cannot be reached: \(host)")
      }
    }
  }

  @Test func anAnswerWithoutEndIsReported() async throws {
    try await withServer { test in
      let tunnel = try TunnelProxy(answer: Array(repeating: "HTTP/1.1 200 OK, so far\r\n", count: 1_000), to: .end)

      await #expect(throws: HTTP2Error.proxyFailed(reason: "the proxy's answer is too long")) {
        try await connect(test, by: Proxy(tunnel.endpoint))
      }
    }
  }

  @Test func aProxyThatNeverAnswersTimesOut() async throws {
    try await withServer { test in
      let tunnel = try TunnelProxy(answer: [], to: .silence)

      await #expect(throws: HTTP2Error.timedOut(.tunneling)) {
        try await connect(test, by: Proxy(tunnel.endpoint), within: .milliseconds(100))
      }
    }
  }

  private func connect(
    _ test: TestServer, by proxy: Proxy, within limit: Duration = .seconds(120)
  ) async throws(HTTP2Error) -> HTTP2Client {
    try await HTTP2Client.connect(
      to: Endpoint(host: "push.example", port: test.server.endpoint.port), trust: test.credentials.trust, proxy: proxy,
      connectTimeout: limit, loop: test.loop)
  }
}

extension TestServer {
  fileprivate var way: TunnelProxy.Way { .server(port: server.endpoint.port) }
}

extension TunnelProxy {
  fileprivate var endpoint: Endpoint { Endpoint(host: "127.0.0.1", port: port) }
}
