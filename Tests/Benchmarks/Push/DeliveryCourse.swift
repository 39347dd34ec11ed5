import Foundation
import Signing
import TestSupport

/// How push-delivery went through a backlog.
struct DeliveryCourse {
  let time: Duration
  private let cpu: Duration
  /// Its resident memory in MiB, ten times a second.
  private let memory: [Double]

  /// Runs push-delivery with several events at once; the first ones do the work.
  static func run(database: String, _ nginx: PushNginx) async throws -> DeliveryCourse {
    let folder = try TemporaryDirectory()
    let bell = #"{"specversion":"1.0","id":"1","source":"/benchmark","type":"benchmark","data":{}}"#
    let bells = try folder.write(String(repeating: "\(bell)\n", count: 20), to: "bells.ndjson")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltExecutables.path(of: "push-delivery"))
    process.arguments = ["--stream"]
    process.environment = try SamplePush.environment(nginx, folder).merging(["DATABASE_URL": database]) { $1 }
    process.standardInput = FileHandle(forReadingAtPath: bells)
    process.standardOutput = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    var (memory, cpu) = ([Double](), Duration.zero)
    while process.isRunning {
      if let figures = try? ProcessFigures(process.processIdentifier), figures.memory > 0 {
        memory.append(Double(figures.memory) / 1_048_576)
        cpu = figures.cpu
      }
      try await Task.sleep(for: .milliseconds(100))
      guard ContinuousClock.now - start < .seconds(300) else {
        process.terminate()
        throw BenchmarkError("push-delivery does not come to an end.")
      }
    }
    return DeliveryCourse(time: .now - start, cpu: cpu, memory: memory)
  }

  func findings(of count: Int) -> [Finding] {
    // The memory that the process needs in any case is there after a tenth of the time.
    let settled = memory[min(memory.count - 1, memory.count / 10)]
    let largest = memory.max() ?? 0
    return [
      Finding(
        what: "deliveries: µs of CPU time of push-delivery a delivery", value: cpu / .microseconds(1) / Double(count)),
      Finding(
        what: "deliveries: push-delivery's MiB at most, against those after a tenth", ratio: largest / settled,
        value: largest, limits: [.valueBelow(64), .ratioAtMost(1.25)]),
    ]
  }
}
