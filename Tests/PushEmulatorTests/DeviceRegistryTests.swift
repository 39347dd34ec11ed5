import Testing

@testable import PushEmulator

struct DeviceRegistryTests {
  @Test func anUnregisteredDeviceAnswers410WithItsTime() {
    var devices = DeviceRegistry()
    devices.apply(.unregistered(since: 42), to: "a")

    #expect(devices.nextAnswer(for: "a") == .refused(status: 410, reason: "Unregistered", timestamp: 42))
    #expect(devices.nextAnswer(for: "b") == .accepted)
  }

  @Test func scriptedAnswersComeOneEachAndThenNoMore() {
    var devices = DeviceRegistry()
    devices.apply(.answers([.silence, .drop]), to: "a")

    #expect((1...3).map { _ in devices.nextAnswer(for: "a") } == [.silence, .drop, .accepted])
  }

  @Test func registeringForgetsWhatWasSet() {
    var devices = DeviceRegistry()
    devices.apply(.unregistered(since: 42), to: "a")
    devices.apply(.registered, to: "a")

    #expect(devices.nextAnswer(for: "a") == .accepted)
  }

  @Test(arguments: [
    (#"{"state":"registered"}"#, DeviceRegistry.Instruction.registered),
    (#"{"state":"unregistered","since":5}"#, .unregistered(since: 5)),
    (
      #"{"answers":["never","drop",{"status":200},{"status":503,"reason":"ServiceUnavailable"}]}"#,
      .answers([.silence, .drop, .accepted, .refused(status: 503, reason: "ServiceUnavailable", timestamp: nil)])
    ),
    (
      #"{"answers":[{"status":410,"reason":"Unregistered","timestamp":9}]}"#,
      .answers([.refused(.unregistered, timestamp: 9)])
    ),
  ])
  func readsAnInstruction(body: String, expected: DeviceRegistry.Instruction) throws {
    #expect(try DeviceRegistry.Instruction(Array(body.utf8)) == expected)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"state":"asleep"}"#, #"{"state":"unregistered"}"#, #"{"state":"unregistered","since":"1"}"#,
    #"{"answers":{}}"#, #"{"answers":["sometimes"]}"#, #"{"answers":[{"status":99,"reason":"x"}]}"#,
    #"{"answers":[{"status":503}]}"#,
  ])
  func refusesAnInstructionThatIsUnclear(body: String) {
    #expect(throws: BadRequest.self) { try DeviceRegistry.Instruction(Array(body.utf8)) }
  }
}
