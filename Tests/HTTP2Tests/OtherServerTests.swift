import Glibc
import HTTP2
import TestSupport
import Testing

/// The client against servers that share no code with ours.
@Suite(.heavy)
struct OtherServerTests {
  @Test func smallWindowsBothWaysLetEverythingThrough() async throws {
    try await with(.nghttpd(["--window-bits=5", "--connection-window-bits=16"])) { server in
      let client = try await server.connect()
      let bodies = (0..<50).map { number in (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) } }

      let echoes = await withTaskGroup(of: Bool.self) { group in
        for body in bodies {
          group.addTask { (try? await client.send(.sample(body: body), timeout: .seconds(120)).get().body) == body }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }

      #expect(echoes == 50)
    }
  }

  @Test func oneStreamAtATimeIsKeptTo() async throws {
    try await with(.nghttpd(["--max-concurrent-streams=1"])) { server in
      let client = try await server.connect()

      #expect(await client.remoteMaxConcurrentStreams == 1)
      #expect(await outcomes(of: 100, from: client) == ["200": 100])
    }
  }

  @Test func nginxAnswersManyAtOnce() async throws {
    try await with(.nginx("keepalive_requests 10000; http2_max_concurrent_streams 7;")) { server in
      let client = try await server.connect()

      #expect(await client.remoteMaxConcurrentStreams == 7)
      #expect(await outcomes(of: 500, from: client) == ["200": 500])
    }
  }

  @Test func whatNginxGoesAwayFromCanAllBeSentAgain() async throws {
    try await with(.nginx("keepalive_requests 20;")) { server in
      var open = 50
      for _ in 0..<10 where open > 0 {
        let client = try await server.connect()
        let results = await outcomes(of: open, from: client)
        let unprocessed = (results["\(StreamFailure.refused)"] ?? 0) + (results["\(StreamFailure.notSent)"] ?? 0)
        #expect((results["200"] ?? 0) + unprocessed == open)
        open = unprocessed
      }

      #expect(open == 0)
    }
  }

  @Test func aServerWithoutHTTP2IsRefused() async throws {
    try await with(.nginx(listens: "ssl")) { server in
      await #expect(throws: HTTP2Error.http2NotOffered) { try await server.connect() }
    }
  }

  @Test func aServerThatSpeaksOnlyAnOlderTLSIsRefused() async throws {
    try await with(.nginx("ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0;")) { server in
      await #expect {
        try await server.connect()
      } throws: { error in
        guard case HTTP2Error.handshakeFailed = error else { return false }
        return true
      }
    }
  }

  @Test func aServerThatIsStoppedIsFoundOutAndOneThatGoesOnIsNot() async throws {
    try await with(.nghttpd()) { server in
      let client = try await server.connect()
      #expect(await client.isAlive(within: .seconds(120), afterSilence: .zero))
      server.program.send(SIGSTOP)

      #expect(await !client.isAlive(within: .milliseconds(200), afterSilence: .zero))

      #expect(await !client.isUsable)
      server.program.send(SIGCONT)
      let next = try await server.connect()
      #expect(await next.send(.sample(body: [1]), timeout: .seconds(120)).status == 200)
    }
  }

  @Test func aServerThatIsKilledWithFiftyStreamsOpenFailsThemAllAtOnce() async throws {
    try await with(.nghttpd()) { server in
      let client = try await server.connect()
      server.program.send(SIGSTOP)
      async let results = outcomes(of: 50, from: client)
      while await client.openStreams < 50 { await Task.yield() }
      server.program.send(SIGKILL)

      #expect(await results == ["\(StreamFailure.connectionLost)": 50])
    }
  }
}
