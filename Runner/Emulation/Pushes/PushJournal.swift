import FunctionKit
import Glibc

/// The pushes on disk, a JSON object a line, so that they outlive the process; at most twice the history's length.
///
/// Two files: the current one, and the one before, which goes when the current one is full.
package final class PushJournal {
  private let path: String
  private let capacity: Int
  private var descriptor: Int32
  private var count = 0
  private var buffer: [UInt8] = []

  private var olderPath: String { "\(path).1" }

  /// Opens the journal, or begins one.
  ///
  /// - Parameter capacity: the history's length.
  package init(path: String, capacity: Int = PushHistory.defaultCapacity) throws(EmulatorError) {
    (self.path, self.capacity) = (path, capacity)
    descriptor = try Self.open(path)
  }

  deinit {
    close(descriptor)
  }

  /// The records of both files, oldest first; a line that a crash left incomplete is passed over and ended.
  package func load() throws(EmulatorError) -> [PushRecord] {
    let older = try Files.contentsIfThere(of: olderPath) ?? []
    let current = try Files.contentsIfThere(of: path) ?? []
    if let last = current.last, last != UInt8(ascii: "\n") { buffer.append(UInt8(ascii: "\n")) }
    let records = Self.records(current)
    count = records.count
    return Self.records(older) + records
  }

  /// Takes a record; it is on disk after the next ``flush()``.
  package func append(_ record: PushRecord) {
    buffer += record.json.bytes
    buffer.append(UInt8(ascii: "\n"))
    count += 1
  }

  /// Writes what was taken.
  package func flush() throws(EmulatorError) {
    guard !buffer.isEmpty else { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    try Files.write(buffer, to: descriptor, path: path)
    if count >= capacity { try turnOver() }
  }

  /// Forgets everything, also on disk.
  package func removeAll() throws(EmulatorError) {
    buffer.removeAll()
    count = 0
    _ = unlink(olderPath)
    guard ftruncate(descriptor, 0) == 0 else { throw .system("empty", path, errno) }
  }

  private func turnOver() throws(EmulatorError) {
    guard rename(path, olderPath) == 0 else { throw .system("rename", path, errno) }
    let next = try Self.open(path)
    close(descriptor)
    (descriptor, count) = (next, 0)
  }

  private static func open(_ path: String) throws(EmulatorError) -> Int32 {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("open", path, errno) }
    return descriptor
  }

  private static func records(_ bytes: [UInt8]) -> [PushRecord] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? RawJSON(validating: line)).flatMap(PushRecord.init)
    }
  }
}
