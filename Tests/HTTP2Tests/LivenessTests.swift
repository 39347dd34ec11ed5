import Dispatch
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
      let (limit, results) = (Duration.milliseconds(50), Mailbox<Int?>())
      let isAnswered = DispatchSemaphore(value: 0)
      loop.execute {
        client.assumeIsolated { $0.send(.sample(), timeout: limit) { results.put($0.status) } }
        // In the turn that sends it, after it was sent: its time cannot run out before.
        loop.atEndOfTurn {
          _ = isAnswered.wait(timeout: .now() + 120)
          usleep(2 * UInt32(limit / .microseconds(1)))
        }
      }

      let arrival = await test.requests.next()
      arrival.responder.respond(.ok)
      // At the end of the server's turn the answer is on its way.
      test.loop.execute { test.loop.atEndOfTurn { isAnswered.signal() } }

      #expect(await results.next() == 200)
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
    try await withBareConnection(timeout: .seconds(15), keepAlive: .milliseconds(100)) { server, client in
      _ = await server.next(.ping)

      _ = await server.ends.next()

      #expect(await !client.isUsable)
    }
  }
}
