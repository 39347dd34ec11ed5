import Testing

@testable import Runner

/// Asking a serving runner about itself.
struct ServingStateTests {
  @RunnerLoop
  private func ask(_ answer: GatewayAnswer) async throws -> ServingState? {
    let server = HTTPServer { request, _, respond in
      respond(request.path == "/_/state" ? answer : .text(404, "Not here"))
    }
    try server.start(host: "127.0.0.1", port: 0)
    defer { server.stop() }
    return await ServingState.ask("http://127.0.0.1:\(server.port)")
  }

  @Test func readsWhatTheGatewayAnswers() async throws {
    let text = #"""
      {"idle":false,"lanes":[0,3],"functions":[
        {"name":"echo","paused":null,"processes":1,"running":1,"waiting":4,"events":["3.28"]},
        {"name":"note","paused":{"code":"BOOT_ERROR","message":"No file."},"processes":0,"running":0,"waiting":2}]}
      """#

    let state = try #require(await ask(.text(200, text)))

    #expect(state.lanes == [0, 3])
    #expect(state["echo"]?.events == ["3.28"])
    #expect(state["echo"]?.paused == nil)
    #expect(state["note"]?.paused == ServingState.Function.Pause(code: "BOOT_ERROR", message: "No file."))
    #expect(state["note"]?.waiting == 2)
    #expect(state["other"] == nil)
  }

  @Test func aRunnerThatDoesNotSayIsNoError() async throws {
    #expect(try await ask(.text(404, "Not here")) == nil)
    #expect(try await ask(.text(200, "OK")) == nil)
    #expect(await ServingState.ask("http://127.0.0.1:1") == nil)
  }
}
