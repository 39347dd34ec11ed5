import FunctionKit
import Glibc

/// Small files, read and written whole.
package enum TextFile {
  /// The file's text, or its last part if it is longer than the limit in bytes; `nil` if it cannot be read.
  ///
  /// - Parameter followsLinks: whether the path may be a link, as it is for mounted secrets.
  package static func read(_ path: String, last limit: Int = 65_536, followsLinks: Bool = false) -> String? {
    guard let descriptor = RegularFile.open(path, followsLinks: followsLinks) else { return nil }
    defer { close(descriptor) }
    let size = lseek(descriptor, 0, SEEK_END)
    lseek(descriptor, max(0, size - limit), SEEK_SET)
    var bytes = [UInt8](repeating: 0, count: limit)
    var filled = 0
    while filled < limit {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress?.advanced(by: filled), limit - filled)
      }
      guard count >= 0 else { return nil }
      guard count > 0 else { break }
      filled += count
    }
    return String(decoding: bytes[..<filled], as: UTF8.self)
  }

  /// Replaces the file by one with this text that only its owner may read.
  ///
  /// Readers see the old file or the new one.
  package static func replace(_ path: String, with text: String) throws(SystemError) {
    try write(text, for: path) { draft in rename(draft, path) == 0 }
  }

  /// Makes the file with this text that only its owner may read, unless there is one.
  ///
  /// If several make it at once, one of them wins. Each then finds the file whole.
  package static func make(_ path: String, with text: String) throws(SystemError) {
    try write(text, for: path) { draft in
      if link(draft, path) == 0 || errno == EEXIST { return unlink(draft) == 0 }
      // Some file systems have no hard links.
      return [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) && rename(draft, path) == 0
    }
  }

  /// Writes a draft, and moves it to its place.
  private static func write(
    _ text: String, for path: String, _ move: (_ draft: String) -> Bool
  ) throws(SystemError) {
    // Each writer has its own draft, because two may write a file at once.
    let draft = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError("write \(draft)") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, move(draft) else {
      let error = SystemError("write \(path)")
      unlink(draft)
      throw error
    }
  }
}
