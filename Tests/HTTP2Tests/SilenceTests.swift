import Testing

@testable import HTTP2

/// Connections that are open and say nothing, on a server that has no room for others.
struct SilenceTests {
  private func settings(places: Int, silence: Duration) -> HTTP2ServerSettings {
    var settings = HTTP2ServerSettings()
    (settings.maxConnections, settings.silence) = (places, silence)
    settings.handshakeTimeout = .seconds(600)
    return settings
  }

  /// However many are silent: a client that speaks gets in, and one that has spoken stays.
  @Test(arguments: [0, 1, 3, 40]) func makesRoom(count: Int) async throws {
    try await withServer(settings: settings(places: 4, silence: .zero), answer: { _ in .ok }) { test in
      let first = try await test.connect()
      _ = await first.ping(timeout: .seconds(120))
      let silent = try SilentPeers(count, of: test.server.endpoint)

      let second = try await test.connect()

      #expect(await second.send(.sample(), timeout: .seconds(120)).status == 200)
      #expect(await first.send(.sample(), timeout: .seconds(120)).status == 200)
      #expect(await test.server.connectionCount <= 4)
      _ = consume silent
    }
  }

  /// A handshake that is under way is not cut off, however many clients wait.
  @Test func shorterThanTheLimitKeepsItsPlace() async throws {
    try await withServer(settings: settings(places: 1, silence: .seconds(600)), answer: { _ in .ok }) { test in
      let silent = try SilentPeers(1, of: test.server.endpoint)
      await #expect(throws: HTTP2Error.self) { try await test.connect(timeout: .milliseconds(200)) }
      #expect(await test.server.connectionCount == 1)
      #expect(test.disconnects.count == 0)

      _ = consume silent

      #expect(try await test.connect().send(.sample(), timeout: .seconds(120)).status == 200)
    }
  }

  /// Nothing happens at that moment but that time passes.
  @Test func asLongAsTheLimitMakesRoomForWhoWaits() async throws {
    try await withServer(settings: settings(places: 1, silence: .milliseconds(100)), answer: { _ in .ok }) { test in
      let silent = try SilentPeers(1, of: test.server.endpoint)

      let client = try await test.connect()

      #expect(await client.send(.sample(), timeout: .seconds(120)).status == 200)
      _ = consume silent
    }
  }

  /// Until somebody waits, it is no fault.
  @Test func afterTheHandshakeCountsAsWell() async throws {
    try await withServer(settings: settings(places: 1, silence: .zero), answer: { _ in .ok }) { test in
      let mute = MutePeer(loop: test.loop)
      try await mute.connect(
        to: Endpoint(host: "127.0.0.1", port: test.server.endpoint.port), trust: test.credentials.trust)
      #expect(test.disconnects.count == 0)

      let client = try await test.connect()

      #expect(await client.send(.sample(), timeout: .seconds(120)).status == 200)
      await mute.close()
    }
  }

  /// Also where there is room: the limit of the handshake ends with the first words of HTTP/2, not before.
  @Test func afterTheHandshakeHasALimit() async throws {
    var settings = HTTP2ServerSettings()
    settings.handshakeTimeout = .milliseconds(500)
    try await withServer(settings: settings, answer: { _ in .ok }) { test in
      let mute = MutePeer(loop: test.loop)
      try await mute.connect(
        to: Endpoint(host: "127.0.0.1", port: test.server.endpoint.port), trust: test.credentials.trust)

      _ = await test.disconnects.next()

      #expect(await test.server.connectionCount == 0)
      await mute.close()
    }
  }
}
