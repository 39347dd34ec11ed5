import FoundationEssentials

/// A folder that is removed with its owner.
final class TemporaryFolder: Sendable {
  let path = "/tmp/http2-test-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
