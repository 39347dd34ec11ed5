import FunctionKit
import Glibc
import TestSupport
import Testing

/// Traces of functions under `runner host`, which sends them.
@Suite(.heavy)
struct HostedTraceTests {
  private static let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  private static let event = #"{"specversion":"1.0","id":"1","source":"/s","type":"t","data":2}"#

  @Test(arguments: ["echo", "openapi"]) func aCallAndItsRunAreSpans(_ function: String) async throws {
    let collector = try Collector()
    let hosted = try await HostedFunction(function, environment: collector.environment)
    let (line, name) =
      function == "echo" ? ("POST /", "POST /functions/v1/echo") : ("GET /openapi.json", "GET /openapi.json")

    let answer = try await hosted.answer(line, "traceparent: \(Self.caller)")
    hosted.program.send(SIGTERM)
    #expect(try await hosted.program.exit() == 0)

    #expect(answer.hasPrefix("HTTP/1.1 200"))
    let spans = try collector.spans()
    let (call, run) = (
      try #require(spans.first { $0.name == name }), try #require(spans.first { $0.name == function })
    )
    #expect(spans.count == 2 && call.service == "push-functions" && run.service == function)
    #expect(call.kind == 2 && run.kind == 2 && call.parent == "00f067aa0ba902b7" && run.parent == call.id)
  }

  @Test func aFunctionAloneSendsNothing() async throws {
    let collector = try Collector()
    let outcome = try await BuiltExecutables.run("echo", stdin: Self.event, environment: collector.environment)

    #expect(outcome.exit == 0 && outcome.stderr == "" && collector.requests == [])
  }

  @Test(arguments: [ScriptedServer.Script.silence, .hangUp, .answer(Collector.refusal(503))])
  func aCollectorThatDoesNotTakeSpansFailsNothing(_ script: ScriptedServer.Script) async throws {
    let collector = try Collector(script)
    let hosted = try await HostedFunction("echo", environment: collector.environment)

    for _ in 0..<20 { #expect(try await hosted.answer("POST /", body: "1").hasPrefix("HTTP/1.1 200")) }
    hosted.program.send(SIGTERM)

    #expect(try await hosted.program.exit() == 0)
  }
}
