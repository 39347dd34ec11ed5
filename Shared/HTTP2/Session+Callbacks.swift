import CNGHTTP2

extension Session {
  static func install(_ callbacks: OpaquePointer?) {
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
