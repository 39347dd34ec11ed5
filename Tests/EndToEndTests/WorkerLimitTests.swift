import Foundation
import FunctionKit
import TestSupport
import Testing

/// The limits of what functions can do to the runner that starts them.
@Suite(.heavy)
struct WorkerLimitTests {
  @Test(arguments: ["oneshot", "warm"])
  func aFloodOnEitherStreamIsCut(_ mode: String) async throws {
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

    let answer = try await served.call("stderr")
    let refused = try await served.call("stdout")

    #expect(answer.text.contains(#""flooded":true"#))
    #expect(refused.status == 502)
    // Of the hundred million bytes on stderr.
    let passedOn = served.program.lines.filter { $0.contains("aaaa") }.map(\.utf8.count).reduce(0, +)
    #expect((1..<300_000).contains(passedOn))
  }

  @Test func processesThatEndLeaveNothingBehindInTheRunner() async throws {
    let runner = try await RunningRunner(
      """
      {"functions":{
        "well":{"executable":"well.sh","mode":"oneshot"},
        "deaf":{"executable":"deaf.sh","mode":"oneshot"},
        "late":{"executable":"late.sh","mode":"oneshot","timeout":1},
        "none":{"executable":"none.sh","mode":"oneshot"}}}
      """,
      scripts: [
        "well.sh": "cat", "deaf.sh": "exec <&- >&- 2>&-; sleep 0.2", "late.sh": "trap '' TERM; sleep 1000",
        "none.sh": "",
      ])
    try runner.project.write("neither a script nor a program", to: "none.sh", mode: 0o700)
    let served = try await runner.start()
    let process = "/proc/\(served.program.processID)"
    // Descriptors of processes and pipes, and children.
    let held = { () async throws -> String in
      try await BuiltExecutables.run(
        "/bin/sh",
        ["-c", "ls -l \(process)/fd | grep -cE 'pidfd|pipe:'; cat \(process)/task/*/children | wc -w"]
      ).stdout
    }
    _ = try await served.call("well")
    let before = try await held()

    var statuses: [Int] = []
    for name in ["well", "well", "deaf", "late", "none", "well"] { statuses.append(try await served.call(name).status) }

    #expect(statuses == [200, 200, 204, 504, 503, 200])
    #expect(try await held() == before)
  }

  @Test func aKilledRunnerLeavesNothingRunning() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"warm":{"executable":"warm.sh"},"once":{"executable":"once.sh","mode":"oneshot"}}}"#,
      scripts: [
        "warm.sh": #"""
        setsid sleep 1000 &
        while read -r line; do
          id=${line#*\"id\":\"}; id=${id%%\"*}
          printf '{"id":"%s","exit":0,"result":{"mark":"%s"}}\n' "$id" "$PUSH_RUNNER_ID"
        done
        """#,
        "once.sh": "trap '' TERM; touch started; while :; do sleep 1000; done",
      ])
    let served = try await runner.start()
    let mark = try #require(try await served.call("warm").json?["mark"]?.stringValue)
    async let interrupted = try? served.call("once")
    _ = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "until [ -e \(runner.project.path)/started ]; do sleep 0.01; done"])

    served.program.send(9)

    // The shell that asks does not carry the mark itself.
    let left = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "while grep -qsz 'PUSH_RUNNER_ID=\(mark)' /proc/[0-9]*/environ; do sleep 0.05; done"],
      timeout: .seconds(120))
    #expect(left.exit == 0, "\(left.stdout)")
    #expect(await interrupted == nil)
  }
}
