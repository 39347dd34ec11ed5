import FunctionKit
import HTTP2
import HTTPClient
import TestSupport
import Testing

@testable import PushEmulator

/// Faults by script, as a sender meets them over HTTP/2 and TLS.
@Suite(.heavy)
struct FaultTests {
  @Test func aFaultIsForItsTokensAndForSoManyTimes() async throws {
    try await withEmulator { emulator, client in
      let fault = #"{"answer":{"status":503,"reason":"ServiceUnavailable","retryAfter":7},"tokens":"AB*","times":2}"#
      try await emulator.script("/faults", fault)

      let first = try await client.answer(to: try emulator.push())
      let other = try await client.answer(to: try emulator.push(to: Samples.token.replacing("ab", with: "cd")))
      let rest = [
        try await client.answer(to: try emulator.push()).status,
        try await client.answer(to: try emulator.push()).status,
      ]

      #expect(first.status == 503 && first.headers["retry-after"] == "7")
      #expect(first.text == #"{"reason":"ServiceUnavailable"}"#)
      #expect(other.status == 200 && rest == [503, 200])
      let list = try await emulator.json("/faults")["faults"]?.elements ?? []
      #expect(list.map { $0["fired"]?.intValue } == [2])
      #expect(try await emulator.pushes().map { $0["fault"]?.intValue } == [1, nil, 1, nil])
    }
  }

  @Test func aShareOfAHundredIsTheSameInEveryRunAndOrder() async throws {
    func outcome(reversed: Bool) async throws -> [Int] {
      let emulator = try await RunningEmulator.start()
      try await emulator.script(
        "/faults", #"{"answer":{"status":500,"reason":"InternalServerError"},"percent":10,"seed":4}"#)
      let tokens = (100..<500).map { number in "\(number)" + String(repeating: "a", count: 61) }
      let statuses = try await withClient(emulator) { client in
        _ = try await client.answer(to: try emulator.push())
        var pushes = try tokens.map { try emulator.push(to: $0) }
        if reversed { pushes.reverse() }
        let statuses = await client.statuses(of: pushes)
        return reversed ? statuses.reversed() : statuses
      }
      await emulator.stop()
      return statuses
    }

    let first = try await outcome(reversed: false)
    #expect(try await outcome(reversed: true) == first)
    #expect((20...60).contains(first.filter { $0 == 500 }.count))
    #expect(first.allSatisfy { [200, 500].contains($0) })
  }

  @Test(arguments: [
    (#""drop""#, StreamFailure.connectionLost, 1), (#"{"drop":true,"taken":false}"#, .connectionLost, 0),
    (#""never""#, .timedOut, 1), (#"{"never":true,"taken":false}"#, .timedOut, 0),
    (#"{"reset":"REFUSED_STREAM"}"#, .refused, 0), (#"{"reset":2}"#, .reset(code: 2), 1),
    (#"{"reset":"INTERNAL_ERROR","taken":false}"#, .reset(code: 2), 0),
  ])
  func aPushWithoutAnswerWasTakenOrNot(answer: String, failure: StreamFailure, shown: Int) async throws {
    try await withEmulator { emulator, client in
      try await emulator.script("/faults", #"{"answer":\#(answer)}"#)

      let result = await client.send(
        try emulator.push(), timeout: failure == .timedOut ? .milliseconds(100) : .seconds(120))

      #expect(throws: failure) { try result.get() }
      #expect(try await emulator.json("/devices")["shown"]?.intValue == shown)
      #expect(try await emulator.pushes().map { $0["taken"]?.bytes.first == UInt8(ascii: "t") } == [shown == 1])
    }
  }

  @Test func aRefusalMayHaveTakenThePush() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script("/faults", #"{"answer":{"status":500,"reason":"InternalServerError","taken":true}}"#)

      #expect(try await client.answer(to: try emulator.push()).status == 500)

      #expect(try await emulator.json("/devices")["shown"]?.intValue == 1)
    }
  }

  @Test func aLatePushCountsOnlyIfItsConnectionLives() async throws {
    try await withEmulator { emulator, client in
      #expect(try await client.answer(to: try emulator.push()).status == 200)
      try await emulator.script("/faults", #"{"answer":{"delay":600000}}"#)
      async let waiting = client.statuses(of: try (0..<50).map { _ in try emulator.push() })
      while await client.openStreams < 50 { await Task.yield() }
      while try await emulator.json("/faults")["faults"]?.elements?.first?["fired"]?.intValue != 50 {}

      let answer = try await emulator.json("/connections", .post, body: #"{"drop":true}"#)

      #expect(answer["connections"]?.intValue == 1)
      #expect(try await waiting == Array(repeating: 0, count: 50))
      #expect(try await emulator.pushes().count == 1)
    }
  }

  @Test func aDelayedAnswerComes() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script("/faults", #"{"answer":{"delay":50},"times":1}"#)
      try await emulator.script("/faults", #"{"answer":{"status":503,"reason":"Shutdown","delay":50,"taken":true}}"#)

      #expect(try await client.answer(to: try emulator.push()).status == 200)
      #expect(try await client.answer(to: try emulator.push()).status == 503)

      #expect(try await emulator.json("/devices")["shown"]?.intValue == 2)
    }
  }

  @Test func anHonestGoAwayAnswersWhatHasArrived() async throws {
    try await withEmulator { emulator, client in
      #expect(try await client.answer(to: try emulator.push()).status == 200)
      let goAway = #"{"answer":{"goaway":{"reason":"Shutdown","code":2}},"after":19,"times":1}"#
      try await emulator.script("/faults", goAway)

      let statuses = await client.statuses(of: try (0..<40).map { _ in try emulator.push() })

      let answered = statuses.count { $0 == 200 }
      #expect((20...40).contains(answered))
      #expect(try await emulator.pushes("since=1").count == answered)
      #expect(await client.goAwayReason?.debugData == Array(#"{"reason":"Shutdown"}"#.utf8))
      #expect(await client.goAwayReason?.code == 2)
    }
  }

  @Test func aGoAwayThatSkipsTheNewestHasNotTakenThem() async throws {
    try await withEmulator { emulator, client in
      #expect(try await client.answer(to: try emulator.push()).status == 200)
      try await emulator.script("/faults", #"{"answer":{"goaway":{"skip":10}},"after":49,"times":1}"#)
      try await emulator.script("/faults", #"{"answer":{"delay":300}}"#)

      let results = await withTaskGroup(of: Result<HTTP2Response, StreamFailure>.self) { group in
        for _ in 0..<50 {
          let push = try? emulator.push()
          if let push { group.addTask { await client.send(push, timeout: .seconds(120)) } }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }

      let refused = results.count { result in
        if case .failure(.refused) = result { return true }
        return false
      }
      #expect(results.count { (try? $0.get().status) == 200 } == 40)
      #expect(refused == 10)
      #expect(try await emulator.pushes("since=1&taken=true").count == 40)
    }
  }

  @Test func connectionsAreSentAwayByRequest() async throws {
    try await withEmulator { emulator, client in
      #expect(try await client.answer(to: try emulator.push()).status == 200)

      try await emulator.script("/connections", #"{"goaway":{"reason":"Shutdown"},"connection":1}"#)

      while await client.isUsable { await Task.yield() }
      #expect(await client.goAwayReason?.debugData == Array(#"{"reason":"Shutdown"}"#.utf8))
    }
  }

  @Test func eachTokensFirstAttemptsMayFail() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script("/faults", #"{"answer":{"status":429,"reason":"TooManyRequests"},"perToken":1}"#)

      let other = Samples.token.replacing("ab", with: "cd")
      var statuses: [Int] = []
      for token in [Samples.token, other, Samples.token, other] {
        statuses.append(try await client.answer(to: try emulator.push(to: token)).status)
      }

      #expect(statuses == [429, 429, 200, 200])
    }
  }

  @Test func faultsAreTakenAwayOneOrAll() async throws {
    try await withEmulator { emulator, client in
      for reason in ["A", "B", "C"] {
        try await emulator.script("/faults", #"{"answer":{"status":500,"reason":"\#(reason)"}}"#)
      }
      try await emulator.script("/faults/1", "", .delete)
      #expect(try await client.answer(to: try emulator.push()).text == #"{"reason":"B"}"#)
      #expect(try await emulator.ask("/faults/1", .delete).status == 404)

      try await emulator.script("/faults", "", .delete)

      #expect(try await client.answer(to: try emulator.push()).status == 200)
    }
  }

  @Test func anUnclearFaultIsRefusedWithASentence() async throws {
    try await withEmulator { emulator, _ in
      for body in [
        "{}", "[]", #"{"answer":"x"}"#, #"{"answer":"drop","percent":101}"#, #"{"answer":"drop","colour":1}"#,
      ] {
        let answer = try await emulator.ask("/faults", .post, body: body)

        #expect(answer.status == 400, "\(body)")
        let json = try RawJSON(validating: answer.body[...])
        #expect(json["error"]?.stringValue?.hasSuffix(".") == true, "\(body)")
      }
    }
  }
}
