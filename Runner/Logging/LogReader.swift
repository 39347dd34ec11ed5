import Glibc
import System

/// Reads the log file of a project from its end on, even when it is renamed.
package struct LogReader: ~Copyable {
  private let directory: String
  private var descriptor: Int32 = -1
  private var unfinished: [UInt8] = []

  /// - Parameter directory: `.runner` of a project.
  package init(directory: String) {
    self.directory = directory
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The last lines that match, the oldest first.
  ///
  /// ``next()`` reads the lines after them.
  package mutating func last(_ count: Int, where matches: (LogLine) -> Bool) -> [LogLine] {
    // It is opened before the older file is read. A file that is renamed between is then read twice, not skipped.
    let newest = next()
    var found = Self.tail(newest, count, matches)
    if found.count < count {
      found = Self.tail(Self.older(directory), count - found.count, matches) + found
    }
    return found
  }

  /// The lines that were written since the last call.
  package mutating func next() -> [LogLine] {
    var lines: [LogLine] = []
    if descriptor >= 0 { read(&lines) }
    if !isCurrent {
      // The file may have got its last lines after the first reading.
      if descriptor >= 0 {
        read(&lines)
        close(descriptor)
        unfinished = []
      }
      descriptor = open(LogFile.path(directory), O_RDONLY | O_CLOEXEC)
      if descriptor >= 0 { read(&lines) }
    }
    return lines
  }

  private var isCurrent: Bool {
    var (named, opened) = (stat(), stat())
    guard stat(LogFile.path(directory), &named) == 0 else { return descriptor >= 0 }
    return descriptor >= 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino
  }

  private mutating func read(_ lines: inout [LogLine]) {
    var buffer = [UInt8](repeating: 0, count: 262_144)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      unfinished += buffer[..<count]
    }
    guard let end = unfinished.lastIndex(of: 0x0A) else { return }
    lines += Self.lines(unfinished[...end])
    unfinished.removeSubrange(...end)
  }

  private static func lines(_ text: ArraySlice<UInt8>) -> [LogLine] {
    text.split(separator: 0x0A).compactMap { LogLine(recorded: $0) }
  }

  private static func tail(_ lines: [LogLine], _ count: Int, _ matches: (LogLine) -> Bool) -> [LogLine] {
    Array(lines.filter(matches).suffix(count))
  }

  private static func older(_ directory: String) -> [LogLine] {
    guard let text = TextFile.read(LogFile.oldPath(directory), last: 2 * LogFile.largest) else { return [] }
    return lines(Array(text.utf8)[...])
  }
}
