import CNGHTTP2
import EventLoop

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

  private let role: Role
  private let limits: Limits
  weak var delegate: (any SessionDelegate)?
  private var streams: [Int32: HTTP2Stream] = [:]
  private var block = HeaderBlock()

  /// The stream whose header block is being received: blocks are never interleaved (RFC 9113 §4.3).
  private var receiving: HTTP2Stream?

  /// On a server: how many streams were reset as refused, those above the limit included.
  private(set) var refusedStreams = 0

  // An nghttp2_session: set once in init, freed in deinit, used by the loop that owns this object.
  private var handle: OpaquePointer?

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

  private static let noFlags = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)

  /// How many streams are open.
  var openStreams: Int { streams.count }

  /// The open streams, which are given up.
  func takeStreams() -> [HTTP2Stream] {
    defer { streams = [:] }
    return Array(streams.values)
  }

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

// What is sent.
extension Session {
  /// Opens a stream with a request.
  /// - Throws: `invalidRequest`, or `notSent` if no stream can be opened any more.
  func submit(_ request: HTTP2Request, exchange: Exchange) throws(StreamFailure) -> HTTP2Stream {
    block.removeAll()
    block.add(":method", request.method)
    block.add(":scheme", "https")
    block.add(":authority", request.authority)
    // nghttp2 sends every path as a literal without indexing.
    block.add(":path", request.path)
    block.add(request.headers)
    guard block.isValid() else { throw .invalidRequest }
    let stream = HTTP2Stream(outgoing: request.body, exchange: exchange)
    let id = withBody(of: stream, isEmpty: request.body.isEmpty) { provider in
      block.withFields { fields in
        nghttp2_submit_request(handle, nil, fields.baseAddress, fields.count, provider, nil)
      }
    }
    guard id > 0 else { throw .notSent }
    stream.id = id
    streams[id] = stream
    return stream
  }

  /// Answers a request.
  ///
  /// Does nothing for a stream that has ended.
  func submit(_ response: HTTP2Response, on id: Int32) {
    guard let request = streams[id] else { return }
    block.removeAll()
    block.add(":status", String(response.status))
    block.add(response.headers)
    guard block.isValid() else { return reset(id, code: NGHTTP2_INTERNAL_ERROR.rawValue) }
    let stream = HTTP2Stream(outgoing: response.body)
    stream.id = id
    stream.excess = request.excess
    streams[id] = stream
    let result = withBody(of: stream, isEmpty: response.body.isEmpty) { provider in
      block.withFields { fields in nghttp2_submit_response(handle, id, fields.baseAddress, fields.count, provider) }
    }
    if result != 0 { reset(id, code: NGHTTP2_INTERNAL_ERROR.rawValue) }
  }

  /// Ends a stream with an error code of RFC 9113 §7.
  func reset(_ id: Int32, code: UInt32) {
    nghttp2_submit_rst_stream(handle, Self.noFlags, id, code)
  }

  /// The highest stream of the peer that has been received.
  var lastReceivedStreamID: Int32 { nghttp2_session_get_last_proc_stream_id(handle) }

  /// Tells the peer to open no more streams.
  ///
  /// Streams up to `lastStreamID` (nil: all received so far) go on.
  func submitGoAway(lastStreamID: Int32? = nil, code: UInt32 = 0, debugData: [UInt8] = []) {
    let last = lastStreamID ?? lastReceivedStreamID
    nghttp2_submit_goaway(handle, Self.noFlags, last, code, debugData, debugData.count)
  }

  func submitPing(_ payload: UInt64) {
    withUnsafeBytes(of: payload) { bytes in
      _ = nghttp2_submit_ping(handle, Self.noFlags, bytes.bindMemory(to: UInt8.self).baseAddress)
    }
  }

  func submitMaxConcurrentStreams(_ count: UInt32) {
    var entry = nghttp2_settings_entry(
      settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: count)
    nghttp2_submit_settings(handle, Self.noFlags, &entry, 1)
  }

  /// Whether our side of the stream has sent its last frame.
  func hasSentAll(on id: Int32) -> Bool {
    nghttp2_session_get_stream_local_close(handle, id) != 0
  }

  /// Whether the peer's side of the stream has sent its last frame.
  func hasReceivedAll(on id: Int32) -> Bool {
    nghttp2_session_get_stream_remote_close(handle, id) != 0
  }

  private func withBody<Value>(
    of stream: HTTP2Stream, isEmpty: Bool, _ body: (UnsafePointer<nghttp2_data_provider>?) -> Value
  ) -> Value {
    guard !isEmpty else { return body(nil) }
    var provider = nghttp2_data_provider()
    // `streams` keeps the stream until nghttp2 reports it closed. After that nghttp2 reads no more of it.
    provider.source.ptr = Unmanaged.passUnretained(stream).toOpaque()
    provider.read_callback = { _, _, buffer, length, flags, source, _ in
      guard let pointer = source?.pointee.ptr else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
      let stream = Unmanaged<HTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
      let part = stream.copyOutgoing(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
      if part.isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return part.count
    }
    return body(&provider)
  }
}

// What comes.
extension Session {
  private static func install(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
      Session.of(context)?.headersBegan(frame)
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, _, name, nameLength, value, valueLength, _, context in
      let name = UnsafeBufferPointer(start: name, count: nameLength)
      let value = UnsafeBufferPointer(start: value, count: valueLength)
      Session.of(context)?.headerArrived(name, value)
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, context in
      Session.of(context)?.dataArrived(UnsafeBufferPointer(start: bytes, count: count), on: id)
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
      guard let frame else { return 0 }
      Session.of(context)?.frameArrived(frame.pointee)
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
      guard let frame else { return 0 }
      Session.of(context)?.frameLeft(frame.pointee)
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, context in
      guard let header = frame?.pointee.hd, header.type == NGHTTP2_HEADERS.rawValue else { return 0 }
      Session.of(context)?.streams[header.stream_id]?.wasNeverSent = true
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, context in
      guard let session = Session.of(context), let stream = session.streams.removeValue(forKey: id) else { return 0 }
      session.delegate?.sessionClosed(stream, code: code)
      return 0
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Session? {
    context.map { Unmanaged<Session>.fromOpaque($0).takeUnretainedValue() }
  }

  private func headersBegan(_ frame: UnsafePointer<nghttp2_frame>?) {
    guard let frame else { return }
    let id = frame.pointee.hd.stream_id
    if role == .server, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
      let stream = HTTP2Stream()
      stream.id = id
      streams[id] = stream
    }
    receiving = streams[id]
    if role == .client { receiving?.discardInterimResponse() }
  }

  private func headerArrived(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    guard let stream = receiving, stream.excess == nil else { return }
    // RFC 9113 §6.5.2 counts 32 bytes of overhead for each field.
    stream.headerBytes += name.count + value.count + 32
    guard stream.headerBytes <= limits.headerBytes else { return stream.excess = .headers }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: name, as: UTF8.self) {
    case ":status": stream.status = Int(text) ?? 0
    case ":method": stream.method = text
    case ":path": stream.path = text
    case ":authority": stream.authority = text
    case ":scheme": break
    case let name: stream.headers.append(HTTP2Header(name, text))
    }
  }

  private func dataArrived(_ bytes: UnsafeBufferPointer<UInt8>, on id: Int32) {
    guard let stream = streams[id], stream.excess == nil else { return }
    guard stream.body.count + bytes.count <= limits.bodyBytes(of: stream.path) else {
      stream.excess = .body
      stream.body = []
      delegate?.sessionReceivedTooMuch(on: stream)
      return
    }
    stream.body.append(contentsOf: bytes)
  }

  private func frameArrived(_ frame: nghttp2_frame) {
    switch nghttp2_frame_type(UInt32(frame.hd.type)) {
    case NGHTTP2_HEADERS, NGHTTP2_DATA:
      messageFrameArrived(frame.hd)
    case NGHTTP2_SETTINGS where frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
      delegate?.sessionReceivedSettings()
    case NGHTTP2_PING where frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0:
      delegate?.sessionReceivedPong(withUnsafeBytes(of: frame.ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) })
    case NGHTTP2_GOAWAY:
      let data = UnsafeBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
      delegate?.sessionReceivedGoAway(
        HTTP2GoAway(
          lastStreamID: frame.goaway.last_stream_id, code: frame.goaway.error_code, debugData: Array(data)))
    default: break
    }
  }

  private func messageFrameArrived(_ header: nghttp2_frame_hd) {
    guard let stream = streams[header.stream_id] else { return }
    let isHeaders = header.type == NGHTTP2_HEADERS.rawValue
    if stream.excess == .headers, isHeaders {
      delegate?.sessionReceivedTooMuch(on: stream)
    } else if stream.excess == nil, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
      delegate?.sessionReceivedMessage(on: stream)
    }
  }

  private func frameLeft(_ frame: nghttp2_frame) {
    guard role == .server else { return }
    if frame.hd.type == NGHTTP2_RST_STREAM.rawValue, frame.rst_stream.error_code == NGHTTP2_REFUSED_STREAM.rawValue {
      refusedStreams += 1
    }
    resetIfUnwanted(frame.hd)
  }

  /// Refuses the rest of a request whose response was sent before it was complete (RFC 9113 §8.1).
  private func resetIfUnwanted(_ header: nghttp2_frame_hd) {
    guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
      header.type == NGHTTP2_HEADERS.rawValue || header.type == NGHTTP2_DATA.rawValue,
      !hasReceivedAll(on: header.stream_id)
    else { return }
    reset(header.stream_id, code: NGHTTP2_NO_ERROR.rawValue)
  }
}

/// One stream: what has been received on it, and what is still to be sent.
final class HTTP2Stream {
  /// The part of a message that was too large.
  enum Excess { case headers, body }

  var id: Int32 = 0
  var method = ""
  var path = ""
  var authority = ""
  var status = 0
  var headers: [HTTP2Header] = []
  var body: [UInt8] = []
  var headerBytes = 0

  /// If set, nothing more of what arrives is kept.
  var excess: Excess?

  /// Set if nghttp2 could not send the frame that opens the stream.
  var wasNeverSent = false

  /// On a client's stream: the exchange that waits for the response.
  let exchange: Exchange?

  private let outgoing: [UInt8]
  private var outgoingOffset = 0

  init(outgoing: [UInt8] = [], exchange: Exchange? = nil) {
    self.outgoing = outgoing
    self.exchange = exchange
  }

  /// Forgets an informational (1xx) response; the final one follows.
  func discardInterimResponse() {
    guard (100..<200).contains(status) else { return }
    status = 0
    headers = []
    headerBytes = 0
  }

  /// Copies the next part of the body to send; true with the last one.
  func copyOutgoing(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool) {
    let count = min(buffer.count, outgoing.count - outgoingOffset)
    outgoing.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[outgoingOffset...].prefix(count)))
    }
    outgoingOffset += count
    return (count, outgoingOffset == outgoing.count)
  }
}
