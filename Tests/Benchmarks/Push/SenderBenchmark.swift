import Foundation
import FunctionKit
import Glibc
import Notifications
import PushLive
import TestSupport

/// The sender alone over one connection, from queued pushes to reports.
///
/// It is compared with nghttp2's load program, which sends the same request to the same server.
struct SenderBenchmark {
  let effort: Effort

  private static let batch = 2_000

  func findings() async throws -> [Finding] {
    let nginx = try await PushNginx.start()
    let folder = try TemporaryDirectory()
    let sender = APNsSender(try APNsConfiguration(Environment(try SamplePush.environment(nginx, folder))))
    let load = H2Load(
      url: "\(nginx.url)/3/device/\(SamplePush.push(0).device.token)", headers: SamplePush.headers,
      bodyPath: try folder.write(SamplePush.push(0).payload, to: "body.json"))
    let count = effort.choose(quick: 20_000, normal: 150_000)
    let pushes = (0..<count).map(SamplePush.push)
    var (rates, costs, loads) = ([Double](), [Double](), [Double]())
    _ = try await Self.send(pushes.prefix(Self.batch), sender)
    // Both take turns, so that everything else on the machine affects both alike.
    for _ in 0..<effort.choose(quick: 1, normal: 5) {
      loads.append(try await load.run(requests: count))
      let (time, cpu) = try await Self.send(pushes[...], sender)
      rates.append(Double(count) / (time / .seconds(1)))
      costs.append(cpu / .microseconds(1) / Double(count))
    }
    await sender.close()
    try await nginx.stop()
    let (rate, beside) = (Samples(rates).p50, Samples(loads).p50)
    return [
      Finding(what: "sender: h2load, 1 connection, 100 streams", perSecond: beside, isYardstick: true),
      Finding(
        what: "sender: pushes over 1 connection, against h2load", perSecond: rate, ratio: rate / beside,
        limits: [.ratioAtLeast(0.4)], goal: .perSecondAtLeast(50_000)),
      Finding(what: "sender: µs of CPU time a push", value: Samples(costs).p50),
    ]
  }

  /// Sends pushes in batches; the time that it took, and the CPU time of this process.
  private static func send(
    _ pushes: ArraySlice<QueuedPush>, _ sender: APNsSender
  ) async throws -> (time: Duration, cpu: Duration) {
    let (start, cpu) = (ContinuousClock.now, cpuTime)
    for first in stride(from: pushes.startIndex, to: pushes.endIndex, by: batch) {
      let reports = await sender.send(
        Array(pushes[first..<min(first + batch, pushes.endIndex)]), until: .now + .seconds(60))
      if let other = reports.first(where: { $0.verdict != .accepted }) {
        throw BenchmarkError("A push was not accepted: \(other)")
      }
    }
    return (.now - start, cpuTime - cpu)
  }

  private static var cpuTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
