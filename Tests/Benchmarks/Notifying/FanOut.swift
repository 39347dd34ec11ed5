import Foundation
import TestSupport

/// How one event went through the built status-changed.
struct FanOut {
  /// From the start of the process to its end.
  let milliseconds: Double
  /// In MiB; it may lack what the last hundredth of a second added.
  let peakMemory: Double

  static func run(_ event: String, database: String) async throws -> FanOut {
    let folder = try TemporaryDirectory()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltExecutables.path(of: "status-changed"))
    process.environment = ["DATABASE_URL": database]
    process.standardInput = FileHandle(forReadingAtPath: try folder.write(event, to: "event.json"))
    process.standardOutput = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    var peak = 0
    while process.isRunning {
      peak = (try? ProcessFigures.peakMemory(of: process.processIdentifier)) ?? peak
      try await Task.sleep(for: .milliseconds(10))
      guard ContinuousClock.now - start < .seconds(120) else {
        process.terminate()
        throw BenchmarkError("status-changed does not come to an end.")
      }
    }
    guard process.terminationStatus == 0 else {
      throw BenchmarkError("status-changed ended with \(process.terminationStatus).")
    }
    return FanOut(milliseconds: (ContinuousClock.now - start).milliseconds, peakMemory: Double(peak) / 1_048_576)
  }
}
