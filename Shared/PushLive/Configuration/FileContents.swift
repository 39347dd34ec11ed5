import FoundationEssentials

/// Small files of the configuration.
enum FileContents {
  /// The whole file; `nil` if it cannot be read or is larger than a mebibyte.
  static func read(_ path: String) -> [UInt8]? {
    guard let data = FileManager.default.contents(atPath: path), (1...1 << 20).contains(data.count) else { return nil }
    return Array(data)
  }
}
