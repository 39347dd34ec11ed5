import FunctionKit
import Glibc
import Testing

@testable import Lifecycle
@testable import System

@RunnerLoop
struct SupervisorTests {
  private let lines = LogLines()

  private func supervisor() -> Supervisor {
    Supervisor(log: lines.log) { Issue.record("It ends the server with \($0).") }
  }

  private func eventually(_ isSo: () -> Bool) async throws {
    #expect(try await Polling.wait(until: .now + .seconds(120), isSo))
  }

  @Test func aPartThatEndsIsNamedAndStartedAgain() async throws {
    let supervisor = supervisor()
    var (starts, hasEnded) = (0, false)

    supervisor.start("listener") {
      starts += 1
      if starts == 3 { try? await Task.sleep(for: .seconds(600)) }
      hasEnded = starts == 3
    }

    try await eventually { starts == 3 }
    #expect(lines.count(of: #""part":"listener""#) == 2)
    await supervisor.cancel()
    #expect(hasEnded)
    #expect(starts == 3)
    #expect(lines.count(of: "part") == 2)
  }

  @Test func aPartThatThrowsIsNamedWithItsError() async throws {
    let supervisor = supervisor()
    var starts = 0

    supervisor.start("guard") {
      starts += 1
      guard starts == 2 else { throw SystemError("start the guard", code: ENOENT) }
      try await Task.sleep(for: .seconds(600))
    }

    try await eventually { starts == 2 }
    #expect(lines.contain(#""part":"guard","error.cause":"start the guard: No such file or directory""#))
    await supervisor.cancel()
  }

  @Test func aPartThatKeepsEndingWaitsLongerEachTime() async throws {
    let supervisor = supervisor()
    var starts = 0

    supervisor.start("postgres") { starts += 1 }

    try await eventually { starts == 4 }
    await supervisor.cancel()
    for pause in ["0.0", "100.0", "200.0"] { #expect(lines.count(of: #""pause.ms":"\#(pause)""#) == 1, "\(pause)") }
  }

  @Test(arguments: [(FunctionError.Code.failed, 70), (.unavailable, 75)])
  func onePartThatTheServerCannotGoOnWithoutEndsIt(code: FunctionError.Code, exit: Int) async throws {
    var codes: [FunctionError.Code] = []
    let supervisor = Supervisor(log: lines.log) { codes.append($0) }

    supervisor.start("events", .endServer(code)) {}

    try await eventually { !codes.isEmpty }
    await supervisor.finish("events")
    #expect(codes == [code])
    #expect(lines.contain("the server cannot go on without it"))
    #expect(lines.contain(#""part":"events","error.cause":"It returned.","exit":"\#(exit)""#))
  }

  @Test func aPartThatIsToldToEndIsNoNews() async throws {
    let supervisor = supervisor()
    let wakeUp = WakeUp()
    supervisor.start("events", .endServer(.failed)) { await wakeUp.wait() }

    wakeUp.signal()
    await supervisor.finish("events")

    #expect(!lines.contain("part"))
  }

  @Test func onlyThePartsThatAreNamedAreEnded() async throws {
    let supervisor = supervisor()
    var (started, ended): (Set<String>, Set<String>) = ([], [])
    for part in ["files", "guard"] {
      supervisor.start(part) {
        started.insert(part)
        await WakeUp().wait()
        ended.insert(part)
      }
    }
    try await eventually { started.count == 2 }

    await supervisor.cancel("files")

    #expect(ended == ["files"])
    await supervisor.cancel()
    #expect(ended == ["files", "guard"])
  }
}
