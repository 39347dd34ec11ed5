internal import CCurl

extension Transfer {
  func configureCallbacks() throws(HTTPClientError) {
    // Unretained: the handle that holds this pointer is freed in deinit.
    let transfer = Unmanaged.passUnretained(self).toOpaque()
    try set(CURLOPT_WRITEDATA, pointer: transfer)
    try set(CURLOPT_HEADERDATA, pointer: transfer)
    let body = shim_set_writer(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, transfer in
      Transfer.from(transfer)?.receive(body: UnsafeRawBufferPointer(start: bytes, count: count)) ?? 0
    }
    let header = shim_set_writer(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, transfer in
      Transfer.from(transfer)?.receive(header: UnsafeRawBufferPointer(start: bytes, count: count)) ?? 0
    }
    guard body == CURLE_OK, header == CURLE_OK, shim_keep_sockets(easy) == CURLE_OK else { throw error(.exhausted) }
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
    pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// If it takes fewer bytes than offered, libcurl ends the transfer with `CURLE_WRITE_ERROR`.
  private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
    bodyBytes += bytes.count
    guard bodyBytes <= order.limits.body else { return 0 }
    body += bytes.prefix(order.limits.kept - body.count)
    return bytes.count
  }

  private func receive(header bytes: UnsafeRawBufferPointer) -> Int {
    headBytes += bytes.count
    guard headBytes <= HTTPLimits.head else { return 0 }
    let line = String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      headers = []
    } else if let colon = line.firstIndex(of: ":") {
      headers.append((line[..<colon].lowercased(), line[line.index(after: colon)...].trimmed))
    }
    return bytes.count
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
