import FunctionKit
import Glibc
import HTTP2
import HTTPClient
import TestSupport
import Testing

@testable import PushEmulator

/// The assertion API, over HTTP/2 and TLS.
@Suite(.heavy)
struct ControlTests {
  @Test func aLongPollWaitsForSoManyMatches() async throws {
    try await withEmulator { emulator, client in
      async let waiting = emulator.pushes("count=3&wait=30&collapse=x")

      for number in 1...6 {
        let push = try emulator.push().with(["apns-collapse-id": number.isMultiple(of: 2) ? "x" : "y"])
        #expect(try await client.reason(push) == "")
      }

      #expect(try await waiting.map { $0["seq"]?.intValue } == [2, 4, 6])
    }
  }

  @Test func pushesAreFound() async throws {
    try await withEmulator { emulator, client in
      let push = try emulator.push()
      for push in [
        push, push.with(["apns-priority": "7"]), push.with(["apns-push-type": "background", "apns-priority": "5"]),
      ] { _ = try await client.answer(to: push) }

      let found = [
        ("status=400", [2]), ("reason=BadPriority", [2]), ("type=background", [3]),
        ("topic=com.example.app", [1, 2, 3]), ("token=AB*", [1, 2, 3]), ("token=cd*", []),
        ("connection=1", [1, 2, 3]), ("provider=apns", [1, 2, 3]), ("provider=fcm", []), ("key=LOCALKEY01", [1, 2, 3]),
        ("taken=true", [1, 3]), ("limit=1", [1]), ("last=1", [3]), ("since=1", [2, 3]), ("status=0", []),
      ]
      for (query, expected) in found {
        #expect(try await emulator.pushes(query).map { $0["seq"]?.intValue } == expected, "\(query)")
      }
    }
  }

  @Test func aPushIsAFileForTheSimulator() async throws {
    try await withEmulator { emulator, client in
      let push = try emulator.push(#"{"aps":{"alert":"Hi"},"x":1}"#)
        .with(["apns-push-type": "voip", "apns-topic": "com.example.app.voip"])
      #expect(try await client.reason(push) == "")

      let file = try await client.answer(to: emulator.question("/pushes/1.apns"))
      let plain = try await client.answer(to: emulator.question("/pushes/1.apns?plain"))

      #expect(file.text == #"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hi"},"x":1}"# + "\n")
      #expect(file.headers["content-disposition"] == "attachment; filename=\"push-1.apns\"")
      #expect(plain.text == #"{"aps":{"alert":"Hi"},"x":1}"# + "\n")
      #expect(try await emulator.json("/pushes/1")["seq"]?.intValue == 1)
      #expect(try await emulator.ask("/pushes/2.apns").status == 404)
    }
  }

  @Test func connectionsAreCountedWithTheirStreams() async throws {
    try await withEmulator { emulator, client in
      #expect(try await client.reason(try emulator.push()) == "")
      try await emulator.script("/faults", #"{"answer":{"reset":"REFUSED_STREAM"},"times":2}"#)
      #expect(await client.statuses(of: try (0..<3).map { _ in try emulator.push() }).sorted() == [0, 0, 200])

      let json = try await emulator.json("/connections")

      #expect(json["open"]?.intValue == 2 && json["total"]?.intValue == 2)
      #expect(json["withPushes"]?.intValue == 1 && json["refusedStreams"]?.intValue == 2)
      let first = json["connections"]?.elements?.first
      #expect(first?["pushes"]?.intValue == 4 && first?["streams"]?.intValue == 0)
      #expect(first?["face"]?.stringValue == "production" && first?["team"]?.stringValue == "LOCALTEAM1")
      await client.close()
      while try await emulator.json("/connections")["open"]?.intValue != 1 {}
      #expect(try await emulator.json("/connections")["refusedStreams"]?.intValue == 2)
    }
  }

  @Test func streamsAreLimitedAsSet() async throws {
    try await withEmulator(["--max-streams", "7"]) { emulator, client in
      #expect(try await client.reason(try emulator.push()) == "")
      _ = try await client.ping(timeout: .seconds(120)).get()

      #expect(await client.remoteMaxConcurrentStreams == 7)
    }
  }

  @Test func aSnapshotBringsEverythingBack() async throws {
    try await withEmulator { emulator, client in
      _ = try await SampleSender(emulator, "SECONDKEY1", team: "SECONDTEAM")
      try await emulator.script("/devices/\(Samples.token)", #"{"online":false}"#)
      try await emulator.script("/devices/cd*", #"{"environment":"sandbox","topics":["a.b"]}"#)
      try await emulator.script(
        "/faults", #"{"answer":{"status":500,"reason":"X"},"tokens":"ff*","percent":12.5,"seed":3}"#)
      #expect(try await client.reason(try emulator.push()) == "")
      try await emulator.script("/clock", #"{"offset":60}"#, .put)
      let snapshot = try await emulator.ask("/snapshot").text

      try await withEmulator { other, _ in
        try await other.script("/snapshot", snapshot, .put)

        for path in ["/pushes", "/faults", "/keys"] {
          #expect(try await other.ask(path).text == (try await emulator.ask(path).text), "\(path)")
        }
        #expect(try await other.json("/clock")["offset"]?.bytes.elementsEqual("60.0".utf8) == true)
        #expect(try await other.json("/devices")["waiting"]?.intValue == 1)
        try await other.script("/devices/\(Samples.token)", #"{"online":true}"#)
        #expect(try await other.json("/devices")["shown"]?.intValue == 1)
        #expect(try await other.ask("/snapshot", .put, body: #"{"pushes":[1]}"#).status == 400)
      }
    }
  }

  @Test func aResetForgetsFaultsAndDevices() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script("/faults", #"{"answer":"drop"}"#)
      try await emulator.script("/devices/ab*", #"{"state":"invalid"}"#)

      try await emulator.script("/pushes", "", .delete)

      #expect(try await client.reason(try emulator.push()) == "")
      #expect(try await emulator.pushes().map { $0["seq"]?.intValue } == [1])
    }
  }

  @Test func theClockFollowsItsFileAndItsRequests() async throws {
    let directory = try TemporaryDirectory()
    let emulator = try await RunningEmulator.start(["--clock-file", "\(directory.path)/clock"])
    func offset() async throws -> String {
      String(decoding: try await emulator.json("/clock")["offset"]?.bytes ?? [], as: UTF8.self)
    }
    #expect(try await offset() == "0.0")

    try directory.write(#"{"offset":86400}"#, to: "clock")
    #expect(try await offset() == "86400.0")
    try await emulator.script("/clock", #"{"offset":5}"#, .put)
    #expect(try await offset() == "5.0")
    let draft = try directory.write(#"{"offset":-3.5}"#, to: "clock.new")
    #expect(rename(draft, "\(directory.path)/clock") == 0)

    #expect(try await offset() == "-3.5")
    #expect(try await emulator.ask("/clock", .put, body: "{}").status == 400)
    await emulator.stop()
  }

  @Test func aPayloadIsMeasuredInBytesAndVoIPHasMore() async throws {
    try await withEmulator { emulator, client in
      let voip: KeyValuePairs<String, String?> = ["apns-push-type": "voip", "apns-topic": "com.example.app.voip"]
      func body(_ count: Int) -> String { #"{"a":"\#(String(repeating: "x", count: count - 8))"}"# }

      let answers = [
        try await client.answer(to: try emulator.push(body(4_096))),
        try await client.answer(to: try emulator.push(body(4_097))),
        try await client.answer(to: try emulator.push(body(5_120)).with(voip)),
        try await client.answer(to: try emulator.push(body(5_121)).with(voip)),
        try await client.answer(to: try emulator.push(body(2_000_000))),
      ]

      #expect(answers.map(\.status) == [200, 413, 200, 413, 413])
      #expect(answers.last?.text == #"{"reason":"PayloadTooLarge"}"#)
    }
  }
}
