import Glibc

/// Files that are read whole.
package enum RegularFile {
  /// Opens a file for reading; `nil` for what cannot be read, and for pipes and the like, which may have no end.
  package static func open(_ path: String, followsLinks: Bool = true) -> Int32? {
    // Without O_NONBLOCK a pipe would wait for its writer.
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else { return nil }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// What stands in a file; `nil` if that is nothing, or more than the limit in bytes, or cannot be read.
  package static func contents(of path: String, limit: Int) -> [UInt8]? {
    guard let descriptor = open(path) else { return nil }
    defer { close(descriptor) }
    return StandardStreams.readAll(descriptor, limit: limit).flatMap { $0.isEmpty ? nil : $0 }
  }
}
