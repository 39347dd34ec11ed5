import EventLoop

@testable import HTTP2

/// A frame of RFC 9113 §4.1.
struct Frame: Sendable, Equatable {
  enum Kind: UInt8 {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
  }

  var kind: Kind
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
    (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
  }

  /// The first frame of these bytes, which loses those of the frame; `nil` while it is not whole.
  init?(takenFrom bytes: inout [UInt8]) {
    guard bytes.count >= 9 else { return nil }
    let length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
    guard bytes.count >= 9 + length, let kind = Kind(rawValue: bytes[3]) else { return nil }
    let stream = bytes[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    self.init(kind, flags: bytes[4], stream: stream, payload: Array(bytes[9..<9 + length]))
    bytes.removeFirst(9 + length)
  }

  var bytes: [UInt8] {
    [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF), kind.rawValue, flags]
      + Self.number(stream) + payload
  }

  var endsStream: Bool { flags & 1 != 0 }

  static func settings(initialWindow: UInt32? = nil) -> Frame {
    Frame(.settings, payload: initialWindow.map { [0, 4] + number($0) } ?? [])
  }

  static func windowUpdate(_ stream: UInt32, by count: UInt32) -> Frame {
    Frame(.windowUpdate, stream: stream, payload: number(count))
  }

  static func goAway(last: UInt32, code: UInt32 = 0) -> Frame {
    Frame(.goAway, payload: number(last) + number(code))
  }

  /// A response without fields or content; 0x88 is `:status: 200`.
  static func ok(_ stream: UInt32) -> Frame {
    Frame(.headers, flags: 0x5, stream: stream, payload: [0x88])
  }

  static func number(_ value: UInt32) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}

extension BareServer {
  /// The next frame of a kind; those of other kinds are passed over.
  nonisolated func next(_ kind: Frame.Kind) async -> Frame {
    while true {
      let frame = await frames.next()
      if frame.kind == kind { return frame }
    }
  }
}

/// A server of bare frames and a client that is connected to it.
func withBareConnection(
  greeting: Frame = .settings(), timeout: Duration = .seconds(120), keepAlive: Duration? = nil,
  _ body: (BareServer, HTTP2Client) async throws -> Void
) async throws {
  let credentials = try Credentials()
  let loop = EventLoop(name: "test")
  defer { loop.stop() }
  let context = try TLSContext.server(certificateChain: credentials.certificatePath, privateKey: credentials.keyPath)
  let server = try BareServer(context, greeting: [greeting], loop: loop)
  await server.start()
  let client = try await HTTP2Client.connect(
    to: server.endpoint, trust: credentials.trust, connectTimeout: timeout, keepAlive: keepAlive, loop: loop)
  try await body(server, client)
  await client.close()
  await server.stop()
}
