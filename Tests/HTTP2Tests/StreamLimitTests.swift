import HTTP2
import Testing

struct StreamLimitTests {
  private static var one: HTTP2ServerSettings {
    var settings = HTTP2ServerSettings()
    settings.maxConcurrentStreams = 1
    return settings
  }

  @Test func requestsWaitTheirTurnUntilTheLimitIsRaised() async throws {
    try await withServer(settings: Self.one) { test in
      let client = try await test.connect()
      #expect(await client.remoteMaxConcurrentStreams == 1)
      async let statuses = statuses(of: 20, from: client)
      let first = await test.requests.next()
      #expect(await client.ping(timeout: .seconds(120)).isSuccess)
      #expect(test.requests.count == 0)
      first.responder.setMaxConcurrentStreams(1_000)
      let others = await test.requests.next(19)
      for arrival in [first] + others { arrival.responder.respond(.ok) }

      #expect(await statuses == [200: 20])
      #expect(await client.remoteMaxConcurrentStreams == 1_000)
    }
  }

  @Test func oneAtATimeAllAreAnswered() async throws {
    try await withServer(settings: Self.one, answer: { _ in .ok }) { test in
      let client = try await test.connect()

      #expect(await statuses(of: 200, from: client) == [200: 200])
    }
  }

  @Test func whoeverWaitsTooLongWasNeverSent() async throws {
    try await withServer(settings: Self.one) { test in
      let client = try await test.connect()
      async let first = client.send(.sample("/1"), timeout: .seconds(120))
      let arrival = await test.requests.next()

      let second = await client.send(.sample("/2"), timeout: .milliseconds(20))

      #expect(second.failure == .timedOutWaiting)
      #expect(!StreamFailure.timedOutWaiting.mayHaveBeenProcessed)
      arrival.responder.respond(.ok)
      #expect(await first.status == 200)
      #expect(test.requests.count == 0)
    }
  }

  @Test func aTimedOutStreamMakesRoomForTheNext() async throws {
    try await withServer(settings: Self.one) { test in
      let client = try await test.connect()
      async let first = client.send(.sample("/1"), timeout: .milliseconds(50))
      _ = await test.requests.next()
      async let second = client.send(.sample("/2"), timeout: .seconds(120))

      let arrival = await test.requests.next()
      arrival.responder.respond(.ok)

      #expect(arrival.request.path == "/2")
      #expect(await first.failure == .timedOut)
      #expect(await second.status == 200)
    }
  }

  @Test func whoeverWaitsWhenTheServerGoesAwayWasNeverSent() async throws {
    try await withServer(settings: Self.one) { test in
      let client = try await test.connect()
      async let first = client.send(.sample("/1"), timeout: .seconds(120))
      let arrival = await test.requests.next()
      async let second = client.send(.sample("/2"), timeout: .seconds(120))
      #expect(await client.ping(timeout: .seconds(120)).isSuccess)
      arrival.responder.goAway()

      #expect(await second.failure == .notSent)
      arrival.responder.respond(.ok)
      #expect(await first.status == 200)
    }
  }

  @Test func theServersLimitForAllConnectionsReachesThoseThatAreOpen() async throws {
    try await withServer(answer: { _ in .ok }) { test in
      let client = try await test.connect()
      await test.server.setMaxConcurrentStreams(7)
      #expect(await client.ping(timeout: .seconds(120)).isSuccess)

      #expect(await client.remoteMaxConcurrentStreams == 7)
    }
  }

  @Test func aLimitThatIsLoweredHoldsWhatIsNewUntilEnoughHasEnded() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let first = statuses(of: 10, from: client)
      var open = await test.requests.next(10)
      open[0].responder.setMaxConcurrentStreams(2)
      #expect(await client.ping(timeout: .seconds(120)).isSuccess)
      async let second = statuses(of: 5, from: client)
      for _ in 0..<8 { open.removeLast().responder.respond(.ok) }
      while await client.openStreams > 2 { _ = await client.ping(timeout: .seconds(120)) }
      #expect(await client.ping(timeout: .seconds(120)).isSuccess)
      #expect(test.requests.count == 0)
      open[0].responder.setMaxConcurrentStreams(100)
      open += await test.requests.next(5)
      for arrival in open { arrival.responder.respond(.ok) }

      #expect(await first == [200: 10])
      #expect(await second == [200: 5])
    }
  }
}
