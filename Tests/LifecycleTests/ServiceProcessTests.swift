import FunctionKit
import Glibc
import TestSupport
import Testing

@testable import Lifecycle
@testable import Logging
@testable import System
@testable import Workers

/// A service that ends, as the server and its log see it.
@Suite(.heavy)
@RunnerLoop
struct ServiceProcessTests {
  private static let script = "#!/bin/sh\necho \"{\\\"environment\\\":{\\\"PROCESS\\\":\\\"$$\\\"}}\"\nexec cat\n"

  private let lines = LogLines()
  private let folder: TemporaryDirectory
  private let service: ServiceProcess

  init() throws {
    folder = try TemporaryDirectory()
    let path = try folder.write(Self.script, to: "stand-in", mode: 0o700)
    service = ServiceProcess(
      name: "stand-in",
      launch: Launch(executable: path, environment: ["PATH": "/usr/bin:/bin"], directory: folder.path),
      printer: LogPrinter(isForPeople: false))
  }

  private func process(_ offered: [String: String]) throws -> pid_t {
    try #require(offered["PROCESS"].flatMap { pid_t($0) })
  }

  @Test func oneThatEndsIsNamedAndStartedAgain() async throws {
    let supervisor = Supervisor(log: lines.log) { _ in Issue.record("The server ends.") }
    let first = try process(try await service.start())
    var offered: [[String: String]] = []
    supervisor.start("service stand-in") { [service] in try await service.run { offered.append($0) } }

    kill(first, SIGKILL)

    #expect(try await Polling.wait(until: .now + .seconds(120)) { offered.count == 1 })
    #expect(lines.contain(#""part":"service stand-in""#))
    #expect(lines.contain("The service stand-in ended by signal 9."))
    let second = try process(try #require(offered.first))
    #expect(second != first)
    await supervisor.cancel()
    #expect(kill(second, 0) == 0)
    await service.stop()
    #expect(kill(second, 0) == -1)
  }

  @Test func oneThatCannotBeStartedAgainIsTriedAgain() async throws {
    let supervisor = Supervisor(log: lines.log) { _ in Issue.record("The server ends.") }
    let first = try process(try await service.start())
    var offered: [[String: String]] = []
    supervisor.start("service stand-in") { [service] in try await service.run { offered.append($0) } }

    unlink("\(folder.path)/stand-in")
    kill(first, SIGKILL)
    #expect(try await Polling.wait(until: .now + .seconds(120)) { lines.contain("could not be started") })
    try folder.write(Self.script, to: "stand-in", mode: 0o700)

    #expect(try await Polling.wait(until: .now + .seconds(120)) { offered.count == 1 })
    await supervisor.cancel()
    await service.stop()
  }
}
