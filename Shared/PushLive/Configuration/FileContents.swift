import FunctionKit

/// Small files of the configuration.
enum FileContents {
  /// The whole file; `nil` if it cannot be read or is larger than a mebibyte.
  static func read(_ path: String) -> [UInt8]? { RegularFile.contents(of: path, limit: 1 << 20) }
}
