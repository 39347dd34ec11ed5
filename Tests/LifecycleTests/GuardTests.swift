import Glibc
import RunnerTestSupport
import TestSupport
import Testing

@testable import Lifecycle
@testable import System

@Suite(.heavy)
struct GuardTests {
  private let runner = GuardedScene.runner

  @Test(arguments: [
    (
      "workers that ignore TERM, and their children in other groups",
      "trap '' TERM; setsid bash -c 'trap \"\" TERM; echo child; read' <&0 & echo worker; read; read", "child"
    ),
    (
      "members of the group that shed the marker",
      "env -i /bin/bash -c 'trap \"\" TERM; echo bare; read' <&0 & read; read", "bare"
    ),
  ])
  func ends(_ name: String, script: String, word: String) throws {
    let scene = try GuardedScene()
    let worker = try scene.worker(["/bin/bash", "-c", script])
    #expect(worker.says(word))

    scene.killRunner()

    #expect(worker.hasEnded(atMost: .seconds(120)))
  }

  @Test func endsPoliteWorkersWithoutWaitingForTheGraceToEnd() throws {
    let scene = try GuardedScene()
    let worker = try scene.worker(["/bin/bash", "-c", "trap 'echo polite; exit 0' TERM; echo ready; read"])
    #expect(worker.says("ready"))

    // By this beginning the grace lasts longer than any machine needs.
    Guard.endProcesses(carrying: Guard.marker(scene.id), since: .now + .seconds(120))

    #expect(worker.says("polite") && worker.hasEnded(atMost: .seconds(120)))
  }

  @Test func leavesTheProcessesOfAnotherRunner() throws {
    let scene = try GuardedScene()
    let stranger = try ObservedProcess(["/bin/cat"], environment: [Guard.marker(scene.id + "0")])

    scene.killRunner()

    #expect(scene.guardProcess.hasEnded(atMost: .seconds(120)))
    stranger.say("still here\n")
    #expect(stranger.says("still here"))
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func aSignalMeantForTheRunnerDoesNotEndIt(signal: Int32) throws {
    let scene = try GuardedScene()
    let worker = try scene.worker(["/bin/bash", "-c", "echo ready; read"])
    #expect(worker.says("ready"))
    // Its first act is to ignore them: it has done so when it no longer dies of one.
    #expect(isIgnored(signal, by: scene.guardProcess.id))

    kill(scene.guardProcess.id, signal)
    scene.killRunner()

    #expect(worker.hasEnded(atMost: .seconds(120)))
  }

  @Test func aDismissedGuardEndsWhatIsLeftAndLeaves() throws {
    let handle = try GuardHandle.start(project: nil, executable: runner)
    let worker = try ObservedProcess(["/bin/cat"], environment: [handle.marker])
    let stranger = try ObservedProcess(["/bin/cat"], environment: [handle.marker + "0"])

    handle.dismiss()
    handle.dismiss()

    #expect(kill(handle.process, 0) == -1)
    #expect(worker.hasEnded(atMost: .seconds(120)))
    stranger.say("still here\n")
    #expect(stranger.says("still here"))
  }

  @Test func aHandleThatIsDroppedEndsTheWorkers() throws {
    func worker() throws -> ObservedProcess {
      let handle = try GuardHandle.start(project: nil, executable: runner)
      return try ObservedProcess(["/bin/cat"], environment: [handle.marker])
    }

    #expect(try worker().hasEnded(atMost: .seconds(120)))
  }

  @Test func aGuardThatCannotStartIsAnErrorThatNamesIt() {
    let error = #expect(throws: (any Error).self) { try GuardHandle.start(project: nil, executable: "/nowhere/runner") }
    #expect(error.map { "\($0)" } == "start /nowhere/runner: No such file or directory")
  }

  @Test(arguments: [[], ["--id"], ["--id", ""], ["--project", "/p"], ["--id", "x", "--other", "y"], ["x"]])
  func refusesAWrongCall(arguments: [String]) {
    #expect(GuardOrder(arguments) == nil)
    #expect(Guard.main(arguments) == 64)
  }

  @Test(arguments: [nil, "/a path/with spaces"])
  func understandsItsOwnOrders(project: String?) {
    let order = GuardOrder(id: "x", project: project)

    #expect(GuardOrder(order.arguments.dropFirst()) == order)
  }

  private func isIgnored(_ signal: Int32, by process: pid_t) -> Bool {
    Polling.block(until: ContinuousClock.now + .seconds(120)) {
      let status = TextFile.read("/proc/\(process)/status") ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
      let mask = line.flatMap { UInt64($0.dropFirst(7).drop { $0.isWhitespace }, radix: 16) } ?? 0
      return mask & 1 << UInt64(signal - 1) != 0
    }
  }
}
