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

  /// The bytes of a file; `nil` if there are none, or more than the limit, or they cannot be read.
  package static func contents(of path: String, limit: Int) -> [UInt8]? {
    guard let descriptor = open(path) else { return nil }
    defer { close(descriptor) }
    return StandardStreams.readAll(descriptor, limit: limit).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The text of a file in UTF-8, without a mark of its byte order.
  ///
  /// The path may be a link, as it is for mounted files.
  ///
  /// - Parameter limit: the most bytes that it may have.
  package static func text(of path: String, limit: Int) throws(UnreadableText) -> String {
    guard let descriptor = open(path) else { throw UnreadableText(line: nil, problem: "cannot be read") }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_size <= limit,
      let bytes = StandardStreams.readAll(descriptor, limit: limit)
    else { throw UnreadableText(line: nil, problem: "has more than \(limit) bytes, or cannot be read") }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let said = bytes[(bytes.starts(with: mark) ? mark.count : 0)...]
    if let text = String(validating: said, as: UTF8.self) { return text }
    let lines = said.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
    throw UnreadableText(line: line, problem: "is not UTF-8")
  }
}

/// Why a file has no text.
package struct UnreadableText: Error {
  /// The number of the line, from 1; `nil` if it is about the whole file.
  package let line: Int?
  /// The end of a sentence that begins with the file's name.
  package let problem: String
}

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
