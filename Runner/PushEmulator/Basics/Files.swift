import FunctionKit
import Glibc

/// Small files, whole, with plain system calls.
enum Files {
  /// Makes a directory for its owner only, and those above it.
  ///
  /// Does nothing if it is there.
  static func makeDirectory(_ path: String) throws(FunctionError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
      throw FunctionError.system("make the directory", path, errno)
    }
    try makeDirectory(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw FunctionError.system("make the directory", path, errno)
    }
  }

  /// The whole file; `nil` if there is none.
  static func contentsIfThere(of path: String) throws(FunctionError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw FunctionError.system("read", path, errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FunctionError.system("read", path, errno) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// Writes a file in place of the one before, for its owner only; a reader sees the old one or the new one.
  static func replace(_ path: String, with text: String) throws(FunctionError) {
    let draft = "\(path).new"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw FunctionError.system("write", draft, errno) }
    defer { close(descriptor) }
    try write(Array(text.utf8), to: descriptor, path: draft)
    guard rename(draft, path) == 0 else { throw FunctionError.system("rename", draft, errno) }
  }

  /// Writes all of it, through partial writes and interruptions.
  static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FunctionError) {
    guard StandardStreams.write(bytes, to: descriptor) else { throw FunctionError.system("write", path, errno) }
  }
}
