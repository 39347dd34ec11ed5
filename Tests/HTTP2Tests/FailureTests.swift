import HTTP2
import Testing

struct FailureTests {
  @Test func aSilentServerTimesOutAndTheConnectionLives() async throws {
    try await withServer { test in
      let client = try await test.connect()

      let result = await client.send(.sample(), timeout: .milliseconds(30))

      #expect(result.failure == .timedOut)
      #expect(StreamFailure.timedOut.mayHaveBeenProcessed)
      _ = await test.requests.next()
      async let second = client.send(.sample(), timeout: .seconds(120))
      await test.requests.next().responder.respond(.ok)
      #expect(await second.status == 200)
    }
  }

  @Test(arguments: [(7, StreamFailure.refused, false), (2, .reset(code: 2), true), (0, .reset(code: 0), true)])
  func aResetStreamSaysWhetherItMayHaveBeenProcessed(code: UInt32, failure: StreamFailure, maybe: Bool) async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let result = client.send(.sample(), timeout: .seconds(120))
      await test.requests.next().responder.reset(code: code)

      #expect(await result.failure == failure)
      #expect(failure.mayHaveBeenProcessed == maybe)
      #expect(await client.isUsable)
    }
  }

  @Test func aGoAwayRefusesTheStreamsAboveItsLastAndAwaitsTheOthers() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let statuses = statuses(of: 10, from: client)
      let arrivals = await test.requests.next(10).sorted { $0.responder.streamID < $1.responder.streamID }
      let reason = Array(#"{"reason":"Shutdown"}"#.utf8)
      arrivals[3].responder.goAway(lastStreamID: arrivals[3].responder.streamID, code: 2, debugData: reason)
      for arrival in arrivals { arrival.responder.respond(.ok) }

      #expect(await statuses == [200: 4, 0: 6])
      #expect(await client.goAwayReason?.debugData == reason)
      #expect(await client.goAwayReason?.code == 2)
      #expect(await !client.isUsable)
      #expect(await client.send(.sample(), timeout: .seconds(120)).failure == .notSent)
    }
  }

  @Test func streamsAboveAGoAwaysLastAreKnownNotToHaveBeenProcessed() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let first = client.send(.sample("/1"), timeout: .seconds(120))
      let arrival = await test.requests.next()
      async let second = client.send(.sample("/2"), timeout: .seconds(120))
      _ = await test.requests.next()
      arrival.responder.goAway(lastStreamID: arrival.responder.streamID)

      #expect(await second.failure == .refused)
      arrival.responder.respond(.ok)
      #expect(await first.status == 200)
    }
  }

  @Test func aDroppedConnectionFailsEveryStream() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let failures = withTaskGroup(of: StreamFailure?.self) { group in
        for _ in 0..<50 { group.addTask { await client.send(.sample(), timeout: .seconds(120)).failure } }
        return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      let arrivals = await test.requests.next(50)
      arrivals[0].responder.dropConnection()

      #expect(await failures == [.connectionLost: 50])
      #expect(await !client.isUsable)
      #expect(await client.send(.sample(), timeout: .seconds(120)).failure == .notSent)
      #expect(await test.disconnects.next() == arrivals[0].responder.connection)
    }
  }

  @Test func answeringAfterTheConnectionIsLostHasNoEffect() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let result = client.send(.sample(), timeout: .seconds(120))
      let arrival = await test.requests.next()
      arrival.responder.dropConnection()
      arrival.responder.respond(.ok)
      arrival.responder.reset(code: 7)
      arrival.responder.goAway()

      #expect(await result.failure == .connectionLost)
    }
  }

  @Test func onlyTheFirstAnswerCounts() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let result = client.send(.sample(), timeout: .seconds(120))
      let arrival = await test.requests.next()
      arrival.responder.respond(.ok)
      arrival.responder.respond(HTTP2Response(status: 500))

      #expect(await result.status == 200)
      #expect(await client.ping(timeout: .seconds(120)).isSuccess)
    }
  }

  @Test func anAnswerWithAnInvalidHeaderResetsTheStream() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let result = client.send(.sample(), timeout: .seconds(120))
      await test.requests.next().responder.respond(HTTP2Response(status: 200, headers: [HTTP2Header("A", "b")]))

      #expect(await result.failure == .reset(code: 2))
    }
  }

  @Test func closingTheClientFailsWhatItAwaits() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let result = client.send(.sample(), timeout: .seconds(120))
      _ = await test.requests.next()

      await client.close()

      #expect(await result.failure == .connectionLost)
      _ = await test.disconnects.next()
    }
  }

  @Test func lettingGoOfTheClientClosesItsConnection() async throws {
    try await withServer(answer: { _ in .ok }) { test in
      do {
        let client = try await test.connect()
        #expect(await client.send(.sample(), timeout: .seconds(120)).status == 200)
      }

      _ = await test.disconnects.next()
    }
  }
}

extension Result {
  var isSuccess: Bool { (try? get()) != nil }
}
