import EventLoop
import Glibc
import HTTP2
import Testing

struct LivenessTests {
  @Test func aServerThatWasHeardLatelyIsNotAsked() async throws {
    try await withBareConnection { server, client in
      #expect(await client.isAlive(within: .zero, afterSilence: .seconds(3_600)))

      await client.close()
      while true {
        let frame = await server.frames.next()
        #expect(frame.kind != .ping)
        if frame.kind == .goAway { break }
      }
    }
  }

  @Test func aSilentServerIsAskedOnceForAllWhoWantToKnow() async throws {
    try await withBareConnection { server, client in
      let questions = (0..<10).map { _ in
        // Each one is queued on the loop when the next begins.
        Task.immediate { await client.isAlive(within: .seconds(120), afterSilence: .zero) }
      }
      #expect(await client.isUsable)
      let ping = await server.next(.ping)
      await server.send(Frame(.ping, flags: 1, payload: ping.payload))

      for question in questions { #expect(await question.value) }
      await client.close()
      while true {
        let frame = await server.frames.next()
        #expect(frame.kind != .ping)
        if frame.kind == .goAway { break }
      }
    }
  }

  @Test func aConnectionWhoseServerDoesNotAnswerIsClosed() async throws {
    try await withBareConnection { server, client in
      async let result = client.send(.sample(), timeout: .seconds(120))
      _ = await server.next(.headers)

      #expect(await !client.isAlive(within: .milliseconds(50), afterSilence: .zero))

      #expect(await !client.isUsable)
      #expect(await result.failure == .connectionLost)
      _ = await server.ends.next()
    }
  }

  @Test func aClosedConnectionIsNotAlive() async throws {
    try await withServer { test in
      let client = try await test.connect()
      await client.close()

      #expect(await !client.isAlive())
    }
  }

  @Test func aLongFreezeIsNoticedAndTheConnectionAsked() async throws {
    try await withServer(answer: { _ in .ok }) { test in
      // A loop of its own, which stands still like a process that was stopped.
      let loop = EventLoop(name: "frozen")
      defer { loop.stop() }
      let client = try await HTTP2Client.connect(to: test.server.endpoint, trust: test.credentials.trust, loop: loop)
      #expect(await client.send(.sample(), timeout: .seconds(120)).status == 200)
      loop.execute { usleep(300_000) }
      await test.server.stop(within: .zero)

      #expect(await !client.isAlive(within: .seconds(120), afterSilence: .milliseconds(200)))
    }
  }

  @Test func anAnswerThatCameDuringAFreezeCountsThoughItsTimeRanOut() async throws {
    try await withServer { test in
      let loop = EventLoop(name: "frozen")
      defer { loop.stop() }
      let client = try await HTTP2Client.connect(to: test.server.endpoint, trust: test.credentials.trust, loop: loop)
      var timeout = Duration.milliseconds(400)
      while true {
        let limit = timeout
        let end = ContinuousClock.now + limit
        async let result = client.send(.sample(), timeout: limit)
        let arrival = await test.requests.next()
        let freezes = Mailbox<ContinuousClock.Instant>()
        loop.execute {
          freezes.put(.now)
          usleep(UInt32(max(0, (end + .milliseconds(200) - .now) / .microseconds(1))))
        }
        arrival.responder.respond(.ok)
        let status = await result.status
        if await freezes.next() < end {
          #expect(status == 200)
          return
        }
        // A busy machine took the whole time before the loop stood still.
        timeout *= 2
      }
    }
  }

  @Test func anIdleConnectionIsKeptAliveByPings() async throws {
    try await withBareConnection(keepAlive: .milliseconds(100)) { server, client in
      for _ in 0..<3 {
        let ping = await server.next(.ping)
        await server.send(Frame(.ping, flags: 1, payload: ping.payload))
      }

      #expect(await client.isUsable)
    }
  }

  @Test func anIdleConnectionThatNoLongerAnswersIsClosed() async throws {
    try await withBareConnection(timeout: .seconds(3), keepAlive: .milliseconds(100)) { server, client in
      _ = await server.next(.ping)

      _ = await server.ends.next()

      #expect(await !client.isUsable)
    }
  }
}
