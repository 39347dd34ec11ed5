import FunctionKit
import Testing

@testable import PushEmulator

struct DeviceRegistryTests {
  @Test func anUnregisteredDeviceAnswers410WithItsTime() {
    var devices = DeviceRegistry()
    devices.apply(.unregistered(since: 42), to: .token("a"))

    #expect(refusal(devices, "a") == .refused(status: 410, reason: "Unregistered", timestamp: 42))
    #expect(refusal(devices, "b") == nil)
  }

  @Test func scriptedAnswersComeOneEachAndThenNoMore() {
    var devices = DeviceRegistry()
    devices.apply(.answers([.silence, .drop]), to: .token("a"))

    #expect((1...3).map { _ in devices.nextScripted(for: "a")?.answer } == [.silence, .drop, nil])
  }

  @Test func registeringForgetsWhatWasSet() {
    var devices = DeviceRegistry()
    devices.apply(.unregistered(since: 42), to: .token("a"))
    devices.apply(.registered, to: .token("a"))

    #expect(refusal(devices, "a") == nil)
  }

  @Test func aDeviceCountsMoreThanPatternsAndTheLatestPatternMost() throws {
    var devices = DeviceRegistry(isStrict: true)
    devices.apply(.unregistered(since: 1), to: .pattern(Glob("a*")))
    devices.apply(.unregistered(since: 2), to: .pattern(Glob("*b")))
    devices.apply(.unregistered(since: 3), to: .token("ab"))

    #expect(refusal(devices, "axb") == .refused(.unregistered, timestamp: 2))
    #expect(refusal(devices, "ab") == .refused(.unregistered, timestamp: 3))
    #expect(refusal(devices, "ac") == .refused(.unregistered, timestamp: 1))
    #expect(refusal(devices, "x") == .refused(.badDeviceToken))
  }

  @Test(arguments: [
    ("ab*", "ABcd", true), ("*", "", true), ("a?c", "abc", true), ("a?c", "ac", false), ("*a*b", "xaxbxb", true),
    ("*a*b", "xaxbxc", false), ("ab", "abc", false),
  ])
  func aPatternStandsForMany(pattern: String, token: String, isMatch: Bool) {
    #expect(Glob(pattern).matches(token) == isMatch)
  }

  @Test func whatIsSaidIsReadBack() throws {
    let body = #"{"state":"expired","since":5,"environment":"sandbox","topics":["a","b"],"project":"p","online":false}"#
    var devices = DeviceRegistry()
    let change = try DeviceChange(try RawJSON.object(Array(body.utf8)), now: 0)
    devices.apply(change, to: .token("x"))
    devices.apply(.answers([.silence, .refused(status: 503, reason: "Shutdown")]), to: .pattern(Glob("y*")))

    var copy = DeviceRegistry()
    try copy.add(devices.json)

    #expect(copy.json == devices.json)
    #expect(copy.devices == devices.devices)
  }

  @Test(arguments: [
    "[]", "{}", #"{"state":"asleep"}"#, #"{"state":"unregistered","since":"1"}"#, #"{"environment":"moon"}"#,
    #"{"topics":"a"}"#, #"{"online":1}"#, #"{"colour":"red"}"#, #"{"answers":{}}"#, #"{"answers":["sometimes"]}"#,
    #"{"answers":[{"status":99,"reason":"x"}]}"#, #"{"answers":[{"status":503}]}"#, #"{"answers":[{"delay":-1}]}"#,
    #"{"answers":[{"reset":"NO_SUCH_CODE"}]}"#, #"{"answers":[{"goaway":{"skip":-1}}]}"#, #"{"answers":[{}]}"#,
  ])
  func refusesAnInstructionThatIsUnclear(body: String) {
    #expect(throws: BadRequest.self) { try DeviceChange(try RawJSON.object(Array(body.utf8)), now: 0) }
  }

  private func refusal(_ devices: DeviceRegistry, _ token: String) -> Answer? {
    devices.refusal(token, .production, bundleID: "com.example.app")
  }
}
