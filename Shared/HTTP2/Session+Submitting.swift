import CNGHTTP2

extension Session {
  /// Opens a stream with a request; nil when the request is invalid or no stream can be opened any more.
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
