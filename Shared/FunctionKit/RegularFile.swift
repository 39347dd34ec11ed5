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
  /// What is said behind the file's name.
  package let problem: String
}
