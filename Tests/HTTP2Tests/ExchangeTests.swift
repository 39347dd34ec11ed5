import HTTP2
import TestSupport
import Testing

struct ExchangeTests {
  @Test func requestAndResponseArriveWhole() async throws {
    try await withServer { test in
      let client = try await test.connect()
      let request = HTTP2Request(
        path: "/3/device/ab?x=1", authority: "localhost:1",
        headers: [
          HTTP2Header("apns-topic", "com.example"), HTTP2Header("authorization", "bearer x", indexing: .never),
        ],
        body: Array("{}".utf8))
      async let result = client.send(request, timeout: .seconds(120))
      let arrival = await test.requests.next()
      arrival.responder.respond(
        HTTP2Response(status: 410, headers: [HTTP2Header("apns-id", "7")], body: Array("gone".utf8)))

      let response = try await result.get()

      #expect(arrival.request.method == "POST")
      #expect(arrival.request.path == "/3/device/ab?x=1")
      #expect(arrival.request.authority == "localhost:1")
      #expect(arrival.request.headers["apns-topic"] == "com.example")
      #expect(arrival.request.headers["authorization"] == "bearer x")
      #expect(arrival.request.body == Array("{}".utf8))
      #expect(response.status == 410)
      #expect(response.headers["apns-id"] == "7")
      #expect(response.headers["none"] == nil)
      #expect(response.body == Array("gone".utf8))
    }
  }

  @Test func bodiesLargerThanEveryWindowArriveWhole() async throws {
    var settings = HTTP2ServerSettings()
    settings.maxBodyBytes = 8_000_000
    let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try await withServer(settings: settings, answer: { HTTP2Response(status: 200, body: $0.body) }) { test in
      let client = try await test.connect(responseLimit: 8_000_000)

      let response = try await client.send(.sample(body: body), timeout: .seconds(120)).get()

      #expect(response.body == body)
    }
  }

  @Test(arguments: [Seed()]) func twoThousandRequestsCanBeInFlight(_ seed: Seed) async throws {
    var choices = seed.choices
    var settings = HTTP2ServerSettings()
    settings.maxConcurrentStreams = 2_500
    try await withServer(settings: settings) { test in
      let client = try await test.connect()
      async let statuses = statuses(of: 2_000, from: client)
      let arrivals = await test.requests.next(2_000)
      for arrival in arrivals.shuffled(using: &choices) {
        arrival.responder.respond(HTTP2Response(status: 200, body: Array(arrival.request.path.utf8)))
      }

      #expect(await statuses == [200: 2_000])
    }
  }

  @Test(arguments: [Seed()]) func responsesFindTheirRequestsInAnyOrder(_ seed: Seed) async throws {
    var choices = seed.choices
    try await withServer { test in
      let client = try await test.connect()
      async let echoes = withTaskGroup(of: Bool.self) { group in
        for number in 0..<200 {
          group.addTask {
            let result = await client.send(.sample("/\(number)"), timeout: .seconds(120))
            return (try? result.get().body) == Array("/\(number)".utf8)
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      // The order in which they arrive is the scheduler's.
      let arrivals = await test.requests.next(200).sorted { $0.request.path < $1.request.path }
      for arrival in arrivals.shuffled(using: &choices) {
        arrival.responder.respond(HTTP2Response(status: 200, body: Array(arrival.request.path.utf8)))
      }

      #expect(await echoes == 200)
    }
  }

  @Test func aBodyOverTheServersLimitIsAnsweredByStatus413() async throws {
    var settings = HTTP2ServerSettings()
    settings.maxBodyBytes = 10_000
    try await withServer(settings: settings, answer: { _ in .ok }) { test in
      let client = try await test.connect()

      let tooLarge = await client.send(.sample(body: [UInt8](repeating: 1, count: 3_000_000)), timeout: .seconds(120))
      let justRight = await client.send(.sample(body: [UInt8](repeating: 1, count: 10_000)), timeout: .seconds(120))

      #expect(tooLarge.status == 413)
      #expect(justRight.status == 200)
    }
  }

  @Test func onePathMayTakeMore() async throws {
    var settings = HTTP2ServerSettings()
    settings.maxBodyBytes = 10_000
    settings.maxBodyBytesOfPaths = ["/large": 20_000]
    try await withServer(settings: settings, answer: { _ in .ok }) { test in
      let client = try await test.connect()
      let body = [UInt8](repeating: 1, count: 15_000)

      #expect(await client.send(.sample("/large", body: body), timeout: .seconds(120)).status == 200)
      #expect(await client.send(.sample("/small", body: body), timeout: .seconds(120)).status == 413)
    }
  }

  @Test func headersOverTheServersLimitAreAnsweredByStatus431() async throws {
    var settings = HTTP2ServerSettings()
    settings.maxHeaderListBytes = 1_000
    try await withServer(settings: settings, answer: { _ in .ok }) { test in
      let client = try await test.connect()
      var request = HTTP2Request.sample()
      request.headers = [HTTP2Header("x", String(repeating: "y", count: 1_000))]

      #expect(await client.send(request, timeout: .seconds(120)).status == 431)
      #expect(await client.send(.sample(), timeout: .seconds(120)).status == 200)
    }
  }

  @Test func aResponseOverTheClientsLimitFails() async throws {
    try await withServer(answer: { _ in HTTP2Response(status: 200, body: [UInt8](repeating: 1, count: 1_001)) }) {
      test in
      let client = try await test.connect(responseLimit: 1_000)

      #expect(await client.send(.sample(), timeout: .seconds(120)).failure == .responseTooLarge(status: 200))
      #expect(await client.isUsable)
    }
  }

  @Test(arguments: [
    HTTP2Header("Upper", "x"), HTTP2Header("a b", "x"), HTTP2Header("", "x"), HTTP2Header("x", "a\r\nb"),
    HTTP2Header("x", " a"), HTTP2Header("x", "a\0"),
  ])
  func aHeaderThatHTTP2DoesNotAllowIsNotSent(header: HTTP2Header) async throws {
    try await withServer(answer: { _ in .ok }) { test in
      let client = try await test.connect()
      var request = HTTP2Request.sample()
      request.headers = [header]

      #expect(await client.send(request, timeout: .seconds(120)).failure == .invalidRequest)
      #expect(await client.send(.sample(), timeout: .seconds(120)).status == 200)
    }
  }

  @Test func aPingIsAnswered() async throws {
    try await withServer { test in
      let client = try await test.connect()

      let roundTrip = try await client.ping(timeout: .seconds(120)).get()

      #expect(roundTrip > .zero)
    }
  }

  @Test func aPingToALostConnectionFails() async throws {
    try await withServer { test in
      let client = try await test.connect()
      await client.close()

      #expect(await client.ping(timeout: .seconds(120)) == .failure(.notSent))
    }
  }
}

/// How many of `count` requests at once got each status; 0 stands for failures.
func statuses(of count: Int, from client: HTTP2Client) async -> [Int: Int] {
  await withTaskGroup(of: Int.self) { group in
    for number in 0..<count {
      group.addTask { await client.send(.sample("/\(number)"), timeout: .seconds(120)).status ?? 0 }
    }
    return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }
}
