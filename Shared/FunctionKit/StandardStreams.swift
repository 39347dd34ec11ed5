import Glibc

/// Reading and writing streams and files whole, with plain system calls.
package enum StandardStreams {
  /// Writes everything, through partial writes and interruptions; `false` when that fails, and `errno` says why: a reader
  /// may be gone.
  @discardableResult
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&waiting, 1, -1)
          continue
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Appends what can be read now; `false` at the end of the input or on an error.
  static func read(_ descriptor: Int32, appendingTo bytes: inout [UInt8], upTo limit: Int = 65_536) -> Bool {
    let chunk = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      repeat { count = Glibc.read(descriptor, buffer.baseAddress, limit) } while count < 0 && errno == EINTR
      count = max(0, count)
    }
    bytes.append(contentsOf: chunk)
    return !chunk.isEmpty
  }

  /// All of the input, or `nil` when it is longer than the limit in bytes.
  package static func readAll(_ descriptor: Int32, limit: Int = .max) -> [UInt8]? {
    var bytes: [UInt8] = []
    while read(descriptor, appendingTo: &bytes) {
      if bytes.count > limit { return nil }
    }
    return bytes
  }
}
