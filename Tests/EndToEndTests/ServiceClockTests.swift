import Foundation
import FunctionKit
import TestSupport
import Testing

@Suite(.heavy)
struct ServiceClockTests {
  @Test func aServiceIsToldTheTimeBeforeAnythingRunsByIt() async throws {
    let runner = try await RunningRunner(
      """
      {"functions":{"note":{"executable":"note","mode":"oneshot","triggers":[{"schedule":"0 * * * *"}]}},
       "services":{"push-emulator":{"arguments":["serve","--directory","{state}","--clock-file","{state}/clock"]}}}
      """,
      scripts: ["note": "cat .runner/push-emulator/clock >> seen; echo '{}'"])
    let served = try await runner.start(services: true)
    try await served.program.line { $0.contains("Partitions taken") }

    let outcome = try await runner.run(["clock", "advance", "2h", "--any-local-database"], timeout: .seconds(120))

    #expect(outcome.exit == 0, "\(outcome.stderr)")
    let seen = try String(contentsOfFile: "\(runner.project.path)/seen", encoding: .utf8).split(separator: "\n")
    let offsets = try seen.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Double]) }
    #expect(offsets.count == 2)
    let first = try #require(offsets.first?["offset"])
    let second = try #require(offsets.last?["offset"])
    #expect(first > 0 && first <= 3_600 && abs(second - first - 3_600) < 60)
    let phones = try Phones(served, project: runner.project.path)
    #expect(try await phones.offset() >= 7_100)
  }
}

extension Phones {
  /// How far the emulator's clock is ahead, in seconds.
  fileprivate func offset() async throws -> Double {
    let json = try await ask("/clock")
    return Double(String(decoding: json["offset"]?.bytes ?? [], as: UTF8.self)) ?? 0
  }
}
