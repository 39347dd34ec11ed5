import FunctionKit
import HTTPClient
import TestSupport
import Testing

/// Functions that had another name before, called by that name.
@Suite(.heavy)
struct FormerNamesTests {
  @Test func aFunctionIsCalledByItsFormerName() async throws {
    let echo = BuiltExecutables.path(of: "echo")
    let manifest = #"{"functions":{"mirror":{"executable":"\#(echo)","formerly":["looking-glass"]}}}"#
    let served = try await RunningRunner(manifest).start()

    let called = try await served.call("looking-glass", #"{"n":1}"#)
    let unknown = try await served.call("glass", "{}")
    let invoked = try await BuiltExecutables.run(
      "runner", ["invoke", "looking-glass", "--project", served.runner.project.path], stdin: #"{"n":2}"#)
    let listed = try await served.runner.run(["list"])

    #expect(called.status == 200 && called.json?["data"]?["n"]?.intValue == 1)
    #expect(called.json?["source"]?.stringValue == "/http/mirror")
    #expect(unknown.status == 404)
    #expect(invoked.exit == 0 && invoked.stdout.contains(#""n":2"#))
    #expect(listed.stdout.contains("mirror") && !listed.stdout.contains("looking-glass"))
  }

  @Test(arguments: [("--only", true), ("--except", false)])
  func aFunctionIsChosenByItsFormerName(_ rule: String, isTaken: Bool) async throws {
    let echo = BuiltExecutables.path(of: "echo")
    let mirror = #""mirror":{"executable":"\#(echo)","formerly":["looking-glass"]}"#
    let runner = try await RunningRunner(#"{"functions":{\#(mirror),"other":{"executable":"\#(echo)"}}}"#)
    let served = try await runner.start(options: [rule, "looking-glass"])

    let called = try await served.call("mirror", "{}")
    let other = try await served.call("other", "{}")

    #expect((called.status == 200) == isTaken)
    #expect((other.status == 200) == !isTaken)
  }
}
