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
    let wanted = min(bytes.count, order.limits.kept - body.count)
    guard takeMemory(wanted) else {
      // A beginning may be shorter.
      hasRunOut = order.limits.kept >= order.limits.body
      return hasRunOut ? 0 : bytes.count
    }
    body += bytes.prefix(wanted)
    return bytes.count
  }

  private func takeMemory(_ count: Int) -> Bool {
    guard memory.take(count) else { return false }
    memoryTaken += count
    return true
  }

  private func receive(header bytes: UnsafeRawBufferPointer) -> Int {
    headBytes += bytes.count
    guard headBytes <= HTTPLimits.head else { return 0 }
    // An interim answer, or a proxy's, may come first.
    if bytes.starts(with: "HTTP/".utf8) { head.removeAll(keepingCapacity: true) }
    head += bytes
    return bytes.count
  }
}
