import Glibc

/// One of the process's own output streams.
enum FileStream: Int32 {
  case standardOutput = 1
  case standardError = 2

  /// Writes all of it; a reader that left is no error.
  func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
