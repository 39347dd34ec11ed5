import Foundation
import Testing

struct ClockTests {
  /// No test may put the machine's clock forward or back; but a clock that is never read cannot do harm.
  @Test func noWaitGoesByAClockThatJumps() throws {
    let shared = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Shared")
    let jumping = ["CLOCK_REALTIME", "gettimeofday", "Date(", "Date.now", "time(nil", "DispatchWallTime"]
    for module in ["HTTP2", "EventLoop"] {
      let folder = shared.appendingPathComponent(module)
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      #expect(files.count > 5)
      for file in files {
        let source = try String(contentsOf: file, encoding: .utf8)
        #expect(jumping.filter(source.contains) == [], "\(file.lastPathComponent)")
      }
    }
  }
}
