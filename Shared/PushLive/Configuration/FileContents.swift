import FunctionKit
import Glibc

/// Small files of the configuration.
enum FileContents {
  /// In bytes.
  private static let largest = 1 << 20

  /// The whole file; `nil` if it cannot be read or is larger than a mebibyte.
  static func read(_ path: String) -> [UInt8]? { RegularFile.contents(of: path, limit: largest) }

  /// The whole file, of at most a mebibyte.
  static func contents(of path: String) throws(UnusableFile) -> [UInt8] {
    guard let bytes = read(path) else { throw UnusableFile(fault(of: path)) }
    return bytes
  }

  private static func fault(of path: String) -> String {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      return [ENOENT, ENOTDIR].contains(errno) ? "does not exist" : "cannot be reached"
    }
    switch facts.st_mode & S_IFMT {
    case S_IFDIR: return "is a folder"
    case S_IFREG: break
    default: return "is not a regular file"
    }
    guard access(path, R_OK) == 0 else { return "this user may not read" }
    return facts.st_size == 0 ? "is empty" : facts.st_size > largest ? "is larger than 1 MiB" : "cannot be read"
  }
}

/// The fault of a file.
package struct UnusableFile: Error, Sendable, CustomStringConvertible {
  /// The end of a sentence that begins with the file: "a file that …".
  package let description: String

  init(_ description: String) { self.description = description }
}
