import HTTP2
import Testing

struct FlowControlTests {
  @Test func noMoreIsSentThanTheStreamsWindowAllows() async throws {
    try await withBareConnection(greeting: .settings(initialWindow: 10)) { server, client in
      async let result = client.send(.sample(body: Array("0123456789abcdefghijABCDE".utf8)), timeout: .seconds(120))
      let stream = await server.next(.headers).stream
      var parts = [await server.next(.data)]
      for _ in 0..<2 {
        // Everything that had been sent before the answer to a PING would stand before it.
        await server.send(Frame(.ping, payload: [UInt8](repeating: 7, count: 8)))
        #expect(await server.frames.next().kind == .ping)
        await server.send(.windowUpdate(stream, by: 10))
        parts.append(await server.next(.data))
      }
      await server.send(.ok(stream))

      #expect(parts.map { String(decoding: $0.payload, as: UTF8.self) } == ["0123456789", "abcdefghij", "ABCDE"])
      #expect(parts.map(\.endsStream) == [false, false, true])
      #expect(await result.status == 200)
    }
  }

  @Test func noMoreIsSentThanTheConnectionsWindowAllows() async throws {
    try await withBareConnection(greeting: .settings(initialWindow: 1_000_000)) { server, client in
      async let result = client.send(.sample(body: [UInt8](repeating: 1, count: 70_000)), timeout: .seconds(120))
      let stream = await server.next(.headers).stream
      var count = 0
      while count < 65_535 { count += await server.next(.data).payload.count }
      #expect(count == 65_535)
      await server.send(Frame(.ping, payload: [UInt8](repeating: 7, count: 8)))
      #expect(await server.frames.next().kind == .ping)
      await server.send(.windowUpdate(0, by: 70_000))
      let last = await server.next(.data)
      await server.send(.ok(stream))

      #expect(count + last.payload.count == 70_000)
      #expect(last.endsStream)
      #expect(await result.status == 200)
    }
  }

  @Test func aWindowThatIsOpenedLaterLetsTheBodyGo() async throws {
    try await withBareConnection(greeting: .settings(initialWindow: 0)) { server, client in
      async let result = client.send(.sample(body: Array("body".utf8)), timeout: .seconds(120))
      let stream = await server.next(.headers).stream
      await server.send(.settings(initialWindow: 100))
      let data = await server.next(.data)
      await server.send(.ok(stream))

      #expect(data.payload == Array("body".utf8))
      #expect(await result.status == 200)
    }
  }
}
