import Foundation
import Glibc
import Synchronization

/// A directory of its own, with everything in it removed at the end.
package final class TemporaryDirectory: Sendable {
  /// The absolute path.
  package let path: String

  // Those that nobody lets go of, because all tests share them, are removed when the tests have ended.
  private static let paths = Mutex<Set<String>>([])
  private static let endsAtExit: Void = {
    atexit { TemporaryDirectory.paths.withLock { $0.forEach(TemporaryDirectory.remove) } }
  }()

  /// Makes an empty directory that only this user may enter.
  package init() throws {
    _ = Self.endsAtExit
    let path = try Self.make("/tmp/test-XXXXXX")
    self.path = path
    Self.paths.withLock { _ = $0.insert(path) }
  }

  deinit {
    Self.paths.withLock { _ = $0.remove(path) }
    Self.remove(path)
  }

  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  static func make(_ template: String) throws -> String {
    var path = Array(template.utf8CString)
    guard mkdtemp(&path) != nil else { throw SystemError("mkdtemp") }
    return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String, mode: UInt32 = 0o600) throws -> String {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    guard Array(text.utf8).withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) }) == text.utf8.count
    else { throw SystemError("write") }
    return file
  }
}

/// A system call that failed.
package struct SystemError: Error, CustomStringConvertible {
  /// The call and what the system says about it.
  package let description: String

  /// Takes the reason from `errno` unless given.
  package init(_ call: String, code: Int32? = nil) {
    description = "\(call): \(String(cString: strerror(code ?? errno)))"
  }
}
