import Foundation
import TestSupport
import Testing

/// What functions can do to the runner that starts them.
@Suite(.startsProcesses)
struct WorkerLimitTests {
  /// The most memory that the runner has had, in MiB.
  private func peakMemory(of served: Served) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(served.program.processID)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return (Int(line.filter(\.isNumber)) ?? 0) / 1_024
  }

  @Test(arguments: ["oneshot", "warm"])
  func aFloodOnEitherStreamTakesLittleMemory(_ mode: String) async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{
        "stderr":{"executable":"stderr.sh","mode":"\#(mode)"},
        "stdout":{"executable":"stdout.sh","mode":"\#(mode)"}}}
      """#,
      scripts: [
        "stderr.sh": #"""
        read -r line
        head -c 100000000 /dev/zero | tr '\0' 'a' >&2
        [ "$1" = --stream ] || { echo '{"flooded":true}'; exit; }
        id=${line#*\"id\":\"}; id=${id%%\"*}
        printf '{"id":"%s","exit":0,"result":{"flooded":true}}\n' "$id"
        """#,
        "stdout.sh": "cat /dev/zero | tr '\\0' ' '",
      ])
    let served = try await runner.start()
    _ = try await served.call("nobody")
    let before = try peakMemory(of: served)

    let answer = try await served.call("stderr")
    let refused = try await served.call("stdout")

    #expect(answer.text.contains(#""flooded":true"#))
    #expect(refused.status == 502)
    #expect(try peakMemory(of: served) - before < 40)
  }
}
