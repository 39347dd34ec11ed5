import Foundation
import FunctionKit
import Glibc

/// The benchmark's own function: it notes which row's event it got, and when.
///
/// The note is written before anything else, into a file beside the link by which the runner starts it.
struct Stamp: Function {
  static let summary = "Notes the id of its event's row, and the time."

  /// One note: 16 bytes of the file.
  struct Mark {
    /// The row's id.
    var row: Int64
    /// When the function began, by ``nanoseconds()``.
    var time: Int64
  }

  private let file: Int32

  static func live(_ environment: Environment) throws -> Self {
    let link = CommandLine.arguments[0]
    let path = "\(link[..<(link.lastIndex(of: "/") ?? link.startIndex)])/\(fileName)"
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FunctionError(.misconfigured, "\(path) cannot be opened.") }
    return Self(file: file)
  }

  func handle(_ event: Event<RawJSON>, _ context: Context) throws -> RawJSON {
    let time = Self.nanoseconds()
    guard let row = event.data["record"]?["id"]?.intValue else {
      throw FunctionError(.invalidEvent, "The event's row has no id.")
    }
    var mark = Mark(row: Int64(row), time: time)
    guard write(file, &mark, MemoryLayout<Mark>.size) == MemoryLayout<Mark>.size else {
      throw FunctionError(.failed, "The note could not be written.")
    }
    return RawJSON(object: [("row", RawJSON(row))])
  }

  /// The machine's clock that never jumps, which all processes share.
  static func nanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The notes in the folder of a project; one event may have several.
  static func read(in folder: String) throws -> [Mark] {
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(fileName)") else { return [] }
    return data.withUnsafeBytes { bytes in
      (0..<bytes.count / MemoryLayout<Mark>.size).map {
        bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Mark>.size, as: Mark.self)
      }
    }
  }

  private static let fileName = "stamps"
}
