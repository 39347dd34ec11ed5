import Glibc

/// Small files, whole, with plain system calls.
package enum Files {
  /// Makes a directory for its owner alone, and those above it; one that is there is left as it is.
  package static func makeDirectory(_ path: String) throws(EmulatorError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
      throw .system("make the directory", path, errno)
    }
    try makeDirectory(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system("make the directory", path, errno) }
  }

  /// The whole file, `nil` where there is none.
  package static func contentsIfThere(of path: String) throws(EmulatorError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw .system("read", path, errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system("read", path, errno) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// Writes all of it, through partial writes and interruptions.
  package static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(EmulatorError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system("write", path, errno) }
      written += count
    }
  }
}
