import FoundationEssentials
import FunctionKit
import TestSupport
import Testing

/// The walk through the API in `Functions/README.md`, at the whole bundle.
@Suite(.heavy)
struct APIWalkTests {
  private static let script = House.root.appending(path: "Tests/api-walk").path

  @Test func theWalkOfTheReadmeLeadsFromARegistrationToAPush() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    let token = String(repeating: "ab12", count: 16)

    let walk = try await BuiltExecutables.run(
      Self.script, [phones.served.url, "demo-ada", "register", "notify"],
      environment: ["DEVICE_TOKEN": token], timeout: .seconds(240))

    #expect(walk.exit == 0, "\(walk.stdout)\(walk.stderr)")
    try await bundle.settle()
    let pushes = try await phones.pushes().filter { $0["token"]?.stringValue == token }
    #expect(pushes.count == 1, "\(walk.stdout)")
    #expect(pushes.first?["payload"]?["conversationId"]?.stringValue == "conv-42")
  }

  @Test func everyStepOfTheWalkIsAnsweredAsItShouldBe() async throws {
    let bundle = try await RunningBundle()
    let served = try await bundle.start().served

    let walk = try await BuiltExecutables.run(
      Self.script, [served.url, "demo-ada"], timeout: .seconds(240))

    #expect(walk.exit == 0, "\(walk.stdout)\(walk.stderr)")
  }

  @Test func theWalkEndsAtTheFirstWrongAnswer() async throws {
    let bundle = try await RunningBundle()
    let served = try await bundle.start().served

    let walk = try await BuiltExecutables.run(
      Self.script, [served.url, "nobodys-token"], timeout: .seconds(240))

    #expect(walk.exit == 1)
    #expect(walk.stderr == "api-walk: POST /api/v1/devices/register should answer 201, not 401\n")
  }
}
