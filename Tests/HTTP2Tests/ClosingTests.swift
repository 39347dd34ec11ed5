import HTTP2
import Testing

struct ClosingTests {
  @Test func closingSaysGoodbye() async throws {
    try await withBareConnection { server, client in
      await client.close()

      let farewell = await server.next(.goAway)
      #expect(farewell.payload == Frame.number(0) + Frame.number(0))
      // Ended by TLS's own closing message: nobody can have cut the connection short.
      #expect(await server.ends.next() == nil)
    }
  }

  @Test func fiftyStreamsAtAGoAwayAreAnsweredOrKnownNotToHaveBeenProcessed() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let outcomes = outcomes(of: 50, from: client)
      let arrivals = await test.requests.next(50).sorted { $0.responder.streamID < $1.responder.streamID }
      arrivals[19].responder.goAway(lastStreamID: arrivals[19].responder.streamID)
      for arrival in arrivals { arrival.responder.respond(.ok) }

      #expect(await outcomes == ["200": 20, "\(StreamFailure.refused)": 30])
      #expect(!StreamFailure.refused.mayHaveBeenProcessed)
    }
  }

  @Test func aGoAwayInTwoStepsRefusesOnlyByTheSecond() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let outcomes = outcomes(of: 10, from: client)
      let arrivals = await test.requests.next(10).sorted { $0.responder.streamID < $1.responder.streamID }
      arrivals[0].responder.goAway(lastStreamID: .max)
      while await client.goAwayReason == nil { _ = await client.ping(timeout: .seconds(120)) }
      #expect(await client.openStreams == 10)
      #expect(await client.send(.sample(), timeout: .seconds(120)).failure == .notSent)
      arrivals[0].responder.goAway(lastStreamID: arrivals[6].responder.streamID)
      for arrival in arrivals { arrival.responder.respond(.ok) }

      #expect(await outcomes == ["200": 7, "\(StreamFailure.refused)": 3])
    }
  }

  @Test func whatWasAnsweredBeforeTheConnectionWasLostIsAnswered() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let outcomes = outcomes(of: 50, from: client)
      let arrivals = await test.requests.next(50)
      for arrival in arrivals[..<30] { arrival.responder.respond(.ok) }
      while await client.openStreams > 20 { _ = await client.ping(timeout: .seconds(120)) }
      arrivals[30].responder.dropConnection()

      #expect(await outcomes == ["200": 30, "\(StreamFailure.connectionLost)": 20])
      #expect(StreamFailure.connectionLost.mayHaveBeenProcessed)
    }
  }
}

/// How many of `count` requests at once ended in each way: with a status or with a failure.
func outcomes(of count: Int, from client: HTTP2Client) async -> [String: Int] {
  await withTaskGroup(of: String.self) { group in
    for number in 0..<count {
      group.addTask {
        switch await client.send(.sample("/\(number)"), timeout: .seconds(120)) {
        case .success(let response): "\(response.status)"
        case .failure(let failure): "\(failure)"
        }
      }
    }
    return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }
}
