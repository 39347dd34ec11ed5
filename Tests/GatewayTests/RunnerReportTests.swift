import FunctionKit
import Testing

@testable import Gateway
@testable import Metrics
@testable import System

/// Asking a serving runner about itself.
struct RunnerReportTests {
  @Test @RunnerLoop func readsWhatTheGatewayAnswers() throws {
    var events = EventReport()
    (events.isIdle, events.partitions, events.overtaken, events.suspects) = (false, [0, 3], 2, ["3.29"])
    events.outOfOrder = 5
    var report = RunnerReport([:], events)
    report.functions = [
      .init(name: "echo", paused: nil, processes: 1, running: 1, waiting: 4, events: ["3.28"], interrupted: ["3.30"]),
      .init(
        name: "note", paused: .init(code: "BOOT_ERROR", message: "No file."), processes: 0, running: 0, waiting: 2,
        events: []),
    ]

    let state = try JSONCoding.decode(RunnerReport.self, from: report.json)

    #expect(!state.isIdle)
    #expect(state.partitions == [0, 3])
    #expect(state.overtaken == 2)
    #expect(state.outOfOrder == 5)
    #expect(state.suspects == ["3.29"])
    #expect(state["echo"]?.events == ["3.28"])
    #expect(state["echo"]?.interrupted == ["3.30"])
    #expect(state["echo"]?.paused == nil)
    #expect(state["note"]?.paused == EventReport.Pause(code: "BOOT_ERROR", message: "No file."))
    #expect(state["note"]?.waiting == 2)
    #expect(state["other"] == nil)
  }

  @Test @RunnerLoop func asksARunnerThatServes() async throws {
    let served = try await ServedGateway([:])
    var state: RunnerReport?
    // It is asked with a short time limit, which a machine at work may exceed.
    for _ in 1...20 where state == nil { state = await RunnerReport.ask("http://127.0.0.1:\(served.port)") }
    await served.stop()

    #expect(state?.functions.isEmpty == true)
  }

  @Test func nobodyThereIsNoError() async {
    #expect(await RunnerReport.ask("http://127.0.0.1:1") == nil)
  }
}
