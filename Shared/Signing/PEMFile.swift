import Glibc

/// Writing of PEM texts.
package enum PEMFile {
  /// Replaces the file as a whole.
  ///
  /// With `isSecret` only its owner can ever read it.
  package static func write(_ text: String, to path: String, isSecret: Bool) throws(SigningError) {
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isSecret ? 0o600 : 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    let bytes = Array(text.utf8)
    let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    close(descriptor)
    guard isWritten, rename(temporary, path) == 0 else {
      defer { unlink(temporary) }
      throw failure(path)
    }
  }

  private static func failure(_ path: String) -> SigningError {
    var message = [CChar](repeating: 0, count: 256)
    _ = strerror_r(errno, &message, message.count)
    let reason = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return .unwritableFile(path: path, reason: String(decoding: reason, as: UTF8.self))
  }
}
