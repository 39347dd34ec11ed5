import Glibc

/// The file that keeps what a serving runner logs, for `runner logs`: `.runner/log.ndjson`.
///
/// Its own task writes the lines. Logging never waits and never fails. Lines that cannot be written, or come too
/// fast, are left out.
package final class LogFile: Sendable {
  /// A longer file is renamed to ``oldPath(_:)`` and replaces the older one.
  static let largest = 8 << 20
  private static let mostWaiting = 8_192

  private let lines: AsyncStream<(text: [UInt8], program: String)>.Continuation
  private let writing: Task<Void, Never>

  /// - Parameter directory: `.runner` of a project; it may be missing at first.
  package init(directory: String, largest: Int = largest) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: (text: [UInt8], program: String).self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
    lines = continuation
    writing = Task.detached {
      var file = OpenLogFile(path: Self.path(directory), oldPath: Self.oldPath(directory), largest: largest)
      for await (text, program) in stream { file.append(LogLine(text[...], program: program).record) }
    }
  }

  package static func path(_ directory: String) -> String { "\(directory)/log.ndjson" }
  static func oldPath(_ directory: String) -> String { "\(directory)/log.1.ndjson" }

  /// Takes a line that a program has written, without the line's end.
  package func append(_ text: ArraySlice<UInt8>, from program: String) { lines.yield((Array(text), program)) }

  /// Takes no more lines, and returns when all are written.
  package func finish() async {
    lines.finish()
    await writing.value
  }
}

/// The file while it is written to.
private struct OpenLogFile: ~Copyable {
  let path: String
  let oldPath: String
  let largest: Int
  private var descriptor: Int32 = -1
  /// Whether the last line was cut, because the disk was full.
  private var isTorn = false

  init(path: String, oldPath: String, largest: Int) {
    (self.path, self.oldPath, self.largest) = (path, oldPath, largest)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  mutating func append(_ line: [UInt8]) {
    guard prepare() else { return }
    let bytes = isTorn ? [0x0A] + line : line
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    isTorn = count != bytes.count && (count > 0 || isTorn)
    if count < 0 { leave() }
  }

  /// Opens the file if needed, and starts a new one when it has become too long.
  private mutating func prepare() -> Bool {
    var status = stat()
    // Another runner of the project may have renamed it, or a person may have removed it.
    if descriptor >= 0, !isCurrent { leave() }
    if descriptor < 0 {
      descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }
    guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      leave()
      return false
    }
    guard status.st_size >= largest else { return true }
    guard rename(path, oldPath) == 0 else { return false }
    leave()
    return prepare()
  }

  private var isCurrent: Bool {
    var (named, opened) = (stat(), stat())
    return stat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino
      && named.st_dev == opened.st_dev
  }

  private mutating func leave() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
