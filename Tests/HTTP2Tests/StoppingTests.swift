import Testing

@testable import HTTP2

struct StoppingTests {
  @Test func stoppingLetsRequestsUnderWayBeAnswered() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let result = client.send(.sample(), timeout: .seconds(120))
      let arrival = await test.requests.next()
      async let stopped: Void = test.server.stop(within: .seconds(120))
      while await client.goAwayReason == nil { _ = await client.ping(timeout: .seconds(120)) }
      arrival.responder.respond(.ok)

      #expect(await result.status == 200)
      await stopped
      #expect(await test.server.connectionCount == 0)
    }
  }

  @Test func stoppingDoesNotWaitLongerThanItsGracePeriod() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let result = client.send(.sample(), timeout: .seconds(120))
      _ = await test.requests.next()

      await test.server.stop(within: .milliseconds(20))

      #expect(await result.failure == .connectionLost)
    }
  }

  @Test func aStoppedServerAcceptsNoConnection() async throws {
    try await withServer { test in
      await test.server.stop()

      await #expect(throws: HTTP2Error.self) { try await test.connect() }
    }
  }

  @Test func moreConnectionsThanAllowedWait() async throws {
    var settings = HTTP2ServerSettings()
    settings.maxConnections = 1
    try await withServer(settings: settings, answer: { _ in .ok }) { test in
      let client = try await test.connect()

      async let second = test.connect()
      await #expect(throws: HTTP2Error.self) { try await test.connect(timeout: .milliseconds(200)) }
      #expect(await client.isUsable)
      #expect(await test.server.connectionCount == 1)
      await client.close()

      #expect(try await second.send(.sample(), timeout: .seconds(120)).status == 200)
    }
  }

  @Test func whoeverDoesNotFinishTheHandshakeIsDropped() async throws {
    var settings = HTTP2ServerSettings()
    settings.handshakeTimeout = .milliseconds(20)
    try await withServer(settings: settings) { test in
      let silent = try SilentPeer(of: test.server.endpoint)

      _ = await test.disconnects.next()

      #expect(await test.server.connectionCount == 0)
      _ = consume silent
    }
  }
}

extension HTTP2Server {
  /// How many connections are open.
  var connectionCount: Int { connections.count }
}
