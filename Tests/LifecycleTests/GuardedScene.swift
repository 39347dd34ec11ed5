import Glibc
import RunnerTestSupport
import TestSupport

@testable import Lifecycle
@testable import System

/// A guard that waits for the end of a stand-in for the runner.
struct GuardedScene {
  static let runner = BuiltExecutables.path(of: "runner")

  let id: String
  let guardProcess: ObservedProcess
  private let standIn: pid_t

  init(project: String? = nil) throws {
    id = "test\(UInt64.random(in: 0...UInt64.max))"
    let line = try TestPipe()
    // It waits for the test process to end, holding the writing end of the guard's line as its output.
    standIn = try SessionProcess.start(["/bin/cat"], input: Self.endOfTests.get().reading, output: line.writing)
    let order = GuardOrder(id: id, project: project)
    guardProcess = try ObservedProcess([Self.runner] + order.arguments, line: line.reading)
  }

  func worker(_ arguments: [String]) throws -> ObservedProcess {
    try ObservedProcess(arguments, environment: [Guard.marker(id)])
  }

  func killRunner() {
    kill(standIn, SIGKILL)
    _ = waitpid(standIn, nil, 0)
  }

  private static let endOfTests = Result { try TestPipe() }
}
