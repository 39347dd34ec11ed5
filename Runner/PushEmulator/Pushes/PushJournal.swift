import FunctionKit
import Glibc

/// The pushes on disk, one JSON object per line, so that they outlive the process; at most twice the history's length.
///
/// It has two files: the current one, and the one before, which is deleted when the current one is full.
final class PushJournal {
  private let path: String
  private let capacity: Int
  private var descriptor: Int32
  private var count = 0
  private var buffer: [UInt8] = []

  private var olderPath: String { "\(path).1" }

  /// Opens the journal, or creates it.
  ///
  /// - Parameter capacity: the history's length.
  init(path: String, capacity: Int = PushHistory.defaultCapacity) throws(FunctionError) {
    (self.path, self.capacity) = (path, capacity)
    descriptor = try Self.open(path)
  }

  deinit {
    close(descriptor)
  }

  /// The records of both files, oldest first.
  ///
  /// A line that a crash left incomplete is skipped and ended.
  func load() throws(FunctionError) -> [PushRecord] {
    let older = try Files.contentsIfThere(of: olderPath) ?? []
    let current = try Files.contentsIfThere(of: path) ?? []
    if let last = current.last, last != UInt8(ascii: "\n") { buffer.append(UInt8(ascii: "\n")) }
    let records = Self.records(current)
    count = records.count
    return Self.records(older) + records
  }

  /// Takes a record, which is on disk after the next ``flush()``.
  func append(_ record: PushRecord) {
    buffer += record.json.bytes
    buffer.append(UInt8(ascii: "\n"))
    count += 1
  }

  /// Writes the records that were taken.
  func flush() throws(FunctionError) {
    guard !buffer.isEmpty else { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    try Files.write(buffer, to: descriptor, path: path)
    if count >= capacity { try turnOver() }
  }

  /// Forgets everything, also on disk.
  func removeAll() throws(FunctionError) {
    buffer.removeAll()
    count = 0
    _ = unlink(olderPath)
    guard ftruncate(descriptor, 0) == 0 else { throw FunctionError.system("empty", path, errno) }
  }

  private func turnOver() throws(FunctionError) {
    guard rename(path, olderPath) == 0 else { throw FunctionError.system("rename", path, errno) }
    let next = try Self.open(path)
    close(descriptor)
    (descriptor, count) = (next, 0)
  }

  private static func open(_ path: String) throws(FunctionError) -> Int32 {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw FunctionError.system("open", path, errno) }
    return descriptor
  }

  private static func records(_ bytes: [UInt8]) -> [PushRecord] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? RawJSON(validating: line)).flatMap(PushRecord.init)
    }
  }
}
