import EventLoop
import HTTP2
import Testing

struct GoAwayTests {
  @Test func noRequestAboveTheLastStreamOfAGoAwayIsHandled() async throws {
    let credentials = try Credentials(hosts: ["127.0.0.1"])
    let loop = EventLoop(name: "test")
    defer { loop.stop() }
    let handled = Mailbox<Int32>()
    let server = try await HTTP2Server.start(
      on: Endpoint(host: "127.0.0.1", port: 0), certificateChain: credentials.certificatePath,
      privateKey: credentials.keyPath, loop: loop,
      handler: { request, responder in
        handled.put(responder.streamID)
        responder.respond(.ok)
        if responder.streamID == 3 { responder.goAway() }
      })
    let client = try await HTTP2Client.connect(
      to: Endpoint(host: "127.0.0.1", port: server.endpoint.port), trust: credentials.trust, loop: loop)

    // Without bodies, and so in one read: each is whole before the next begins.
    let answered = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 { group.addTask { await client.send(.sample(), timeout: .seconds(120)).status == 200 } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    handled.put(-1)

    var count = 0
    while await handled.next() != -1 { count += 1 }
    #expect(answered == 2 && count == 2)
    await server.stop(within: .zero)
  }

  @Test func refusedStreamsAreCounted() async throws {
    try await withServer { test in
      let client = try await test.connect()
      async let result = client.send(.sample(), timeout: .seconds(120))
      let arrival = await test.requests.next()
      arrival.responder.reset(code: 7)
      #expect(await result.failure == .refused)

      let statistics = await test.server.statistics(of: arrival.responder.connection)

      #expect(statistics?.openStreams == 0 && statistics?.refusedStreams == 1)
    }
  }
}
