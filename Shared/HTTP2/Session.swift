import CNGHTTP2

/// The object that gets a session's events.
///
/// All calls come while bytes are being received or produced.
protocol SessionDelegate: AnyObject {
  /// A whole request or response has arrived.
  func sessionReceivedMessage(on stream: HTTP2Stream)
  /// The peer sends more than the limits allow; nothing more is kept of the stream.
  func sessionReceivedTooMuch(on stream: HTTP2Stream)
  func sessionClosed(_ stream: HTTP2Stream, code: UInt32)
  func sessionReceivedSettings()
  func sessionReceivedGoAway(_ goAway: HTTP2GoAway)
  func sessionReceivedPong(_ payload: UInt64)
}

/// The HTTP/2 protocol without a transport: bytes in, bytes out, streams between; used on one loop only.
final class Session {
  enum Role { case client, server }

  /// The limits of one message.
  struct Limits {
    var headerBytes: Int
    var bodyBytes: Int
    var bodyBytesOfPaths: [String: Int] = [:]

    func bodyBytes(of path: String) -> Int {
      bodyBytesOfPaths.isEmpty ? bodyBytes : bodyBytesOfPaths[path] ?? bodyBytes
    }
  }

  let role: Role
  let limits: Limits
  weak var delegate: (any SessionDelegate)?
  var streams: [Int32: HTTP2Stream] = [:]
  var block = HeaderBlock()

  /// The stream whose header block is being received: blocks are never interleaved (RFC 9113 §4.3).
  var receiving: HTTP2Stream?

  /// On a server: how many streams were reset as refused, those above the limit included.
  var refusedStreams = 0

  // An nghttp2_session: set once in init, freed in deinit, used by the loop that owns this object.
  private(set) var handle: OpaquePointer?

  init(role: Role, limits: Limits, settings: [(id: nghttp2_settings_id, value: UInt32)], window: Int32) {
    self.role = role
    self.limits = limits
    handle = makeHandle()
    var entries = settings.map {
      nghttp2_settings_entry(settings_id: Int32(bitPattern: $0.id.rawValue), value: $0.value)
    }
    nghttp2_submit_settings(handle, Self.noFlags, &entries, entries.count)
    nghttp2_session_set_local_window_size(handle, Self.noFlags, 0, window)
  }

  deinit {
    nghttp2_session_del(handle)
  }

  static let noFlags = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)

  /// Whether nothing more will be received or sent.
  var isFinished: Bool {
    nghttp2_session_want_read(handle) == 0 && nghttp2_session_want_write(handle) == 0
  }

  /// How many streams the peer lets us have open at once.
  var remoteMaxConcurrentStreams: UInt32 {
    nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
  }

  /// Takes the bytes of the transport; false if the peer broke the protocol beyond repair.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    nghttp2_session_mem_recv(handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) >= 0
  }

  /// Appends frames until none is left or this number of bytes is reached; false if the session is broken.
  func produce(into bytes: inout [UInt8], atLeast count: Int) -> Bool {
    var pointer: UnsafePointer<UInt8>?
    while bytes.count < count {
      let produced = nghttp2_session_mem_send(handle, &pointer)
      guard produced > 0 else { return produced == 0 }
      bytes.append(contentsOf: UnsafeBufferPointer(start: pointer, count: produced))
    }
    return true
  }

  private func makeHandle() -> OpaquePointer? {
    var callbacks: OpaquePointer?
    var options: OpaquePointer?
    var handle: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    nghttp2_option_new(&options)
    defer {
      nghttp2_session_callbacks_del(callbacks)
      nghttp2_option_del(options)
    }
    nghttp2_option_set_no_closed_streams(options, 1)
    Self.install(callbacks)
    let context = Unmanaged.passUnretained(self).toOpaque()
    switch role {
    case .client: nghttp2_session_client_new2(&handle, callbacks, context, options)
    case .server: nghttp2_session_server_new2(&handle, callbacks, context, options)
    }
    precondition(handle != nil, "no memory for an HTTP/2 session")
    return handle
  }
}
