import FunctionKit
import Glibc
import System
import TestSupport
import Testing
import Workers

@testable import Targets

/// A target as its pool uses it, against real servers that misbehave.
struct TargetTests {
  private static func answer(_ status: String, _ headers: String = "", body: String = "") -> String {
    "HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test(arguments: [
    (answer("200 OK"), "OK"), (answer("202 Accepted", body: "<p>no JSON</p>"), "OK"),
    (answer("302 Found", "Location: http://127.0.0.1:1/\r\n"), "TARGET_REFUSED"),
    (answer("422 Unprocessable", body: #"{"message":"no such plan"}"#), "TARGET_REFUSED"),
    (answer("500 Error", body: "<html>secret stack</html>"), "TARGET_FAILED"),
    (answer("429 Busy", "Retry-After: 7\r\n"), "TARGET_BUSY"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "TARGET_LOST"), ("SSH-2.0-nothing\r\n", "TARGET_LOST"),
  ])
  func eachAnswerHasItsOutcome(_ answer: String, _ code: String) async throws {
    let server = try ScriptedServer(.answer(answer))
    defer { server.stop() }
    let setting = try await TargetScene(port: server.port)

    let outcome = await setting.outcome()

    #expect(outcome.code == code)
    #expect(!outcome.message.contains("hidden") && !outcome.message.contains("secret"))
    switch code {
    case "OK": #expect(outcome.disposition == .done)
    case "TARGET_REFUSED": #expect(outcome.disposition == .permanent)
    case "TARGET_BUSY": #expect(outcome.disposition == .retry(after: 7))
    default: #expect(outcome.disposition == .retry(after: nil))
    }
    if answer.contains("no such plan") {
      #expect(outcome.message == "http://127.0.0.1:\(server.port) answered 422: no such plan.")
    }
    #expect(server.requests.first?.contains("ce-id: 1\r\n") == true)
    await setting.close()
  }

  @Test(
    arguments: [
      (.silence, "http", 1, "TARGET_TIMEOUT", .retry(after: nil), "did not answer in time"),
      (.flood(head: "HTTP/1.1 200 OK\r\n\r\n"), "http", 60, "INVALID_OUTPUT", .permanent, "is too large"),
      (
        .greeting("HTTP/1.1 200 OK\r\n\r\n"), "https", 60, "TARGET_AWAY", .pause,
        "could not establish a trusted connection"
      ),
    ] as [(ScriptedServer.Script, String, Int, String, WorkerOutcome.Disposition, String)])
  func noAnswerOneWithoutEndAndNoTrustedCertificateHaveTheirOutcomes(
    _ script: ScriptedServer.Script, _ scheme: String, _ timeout: Int, _ code: String,
    _ disposition: WorkerOutcome.Disposition, _ words: String
  ) async throws {
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let setting = try await TargetScene(port: server.port, scheme: scheme, timeout: timeout)

    let outcome = await setting.outcome()

    #expect(outcome.code == code && outcome.disposition == disposition)
    #expect(outcome.message.contains(words))
    await setting.close()
  }

  @Test func aTargetThatComesBackGetsTheSameEvent() async throws {
    let (descriptor, port) = try boundSocket()
    let setting = try await TargetScene(port: port)

    async let outcome = setting.outcome()
    while await setting.target.circuit == Circuit() { await Task.yield() }
    Glibc.close(descriptor)
    let server = try ScriptedServer(.answer(Self.answer("204 No Content")), port: port)
    defer { server.stop() }

    var last = await outcome
    // A slow machine may have let five failures pass.
    while last.disposition == .pause {
      await setting.target.forgive()
      last = await setting.outcome()
    }
    #expect(last.code == "OK")
    #expect(server.requests.count == 1)
    await setting.close()
  }

  /// Before it is known that the target is away: one try to connect takes all the time of the event.
  @Test func aFirstEventThatIsNotReachedInItsTimeLosesNoAttempt() async throws {
    let server = try ScriptedServer(.silence)
    defer { server.stop() }
    let setting = try await TargetScene(port: server.port, scheme: "https", timeout: 1)
    let isReady = Flag()
    await setting.hear { isReady.isSet = true }

    let outcome = await setting.outcome()

    #expect(outcome.code == "TARGET_AWAY" && outcome.disposition == .pause && outcome.isOutage)
    #expect(await setting.target.circuit.state == .closed(failures: 1))
    let limit = ContinuousClock.now + .seconds(120)
    while await !isReady.isSet, .now < limit { await Task.yield() }
    #expect(await isReady.isSet)
    await setting.close()
  }

  @Test func oneThatStaysAwayIsAskedNoMoreAndTheEventsComeBack() async throws {
    let (descriptor, port) = try boundSocket()
    let setting = try await TargetScene(port: port)

    let outcomes = await withTaskGroup(of: WorkerOutcome.self) { group in
      for number in 0..<20 { group.addTask { await setting.outcome("\(number)") } }
      return await group.reduce(into: []) { $0.append($1) }
    }

    #expect(outcomes.allSatisfy { $0.disposition == .pause && $0.isOutage && $0.code == "TARGET_AWAY" })
    #expect(await setting.target.outage?.message.hasPrefix("could not connect to 127.0.0.1:\(port); it is ") == true)
    #expect(await setting.pool.capacity == 1)
    #expect(setting.logged.all.count == 1)

    // When its time has come, one event is the try, and the others follow it.
    Glibc.close(descriptor)
    let server = try ScriptedServer(.answer(Self.answer("204 No Content")), port: port)
    defer { server.stop() }
    await setting.target.forgive()
    #expect(await setting.outcome().code == "OK")
    #expect(await setting.target.outage == nil)
    #expect(await setting.pool.capacity == 16)
    #expect(setting.logged.all.count == 2)
    await setting.close()
  }

  @Test func itSaysWhenEventsMayBeSentAgain() async throws {
    let (descriptor, port) = try boundSocket()
    defer { Glibc.close(descriptor) }
    let setting = try await TargetScene(port: port)
    let isReady = Flag()
    await setting.hear { isReady.isSet = true }

    #expect(await setting.outcome().disposition == .pause)
    while await !isReady.isSet { await Task.yield() }
    // The try fails, too, and uses up nothing.
    #expect(await setting.outcome().disposition == .pause)
    await setting.close()
  }

  /// The try ends for lack of memory here, and no other event is on its way.
  @Test func aTryThatSaysNothingIsFollowedByAnother() async throws {
    let failure = Self.answer("503 Away")
    let large = Self.answer("200 OK", body: String(repeating: "x", count: 3_000_000))
    let server = try ScriptedServer(.answers(Array(repeating: failure, count: Circuit.threshold) + [large]))
    defer { server.stop() }
    let setting = try await TargetScene(port: server.port, concurrency: 1, memory: 1_000_000)
    let isReady = Flag()
    await setting.hear { isReady.isSet = true }
    for number in 1...Circuit.threshold { _ = await setting.outcome("\(number)") }
    while await !isReady.isSet { await Task.yield() }
    await isReady.clear()

    #expect(await setting.outcome("try", trigger: .http).disposition == .retry(after: 1))
    #expect(await setting.target.outage != nil)

    let limit = ContinuousClock.now + .seconds(120)
    while await !isReady.isSet, .now < limit { await Task.yield() }
    #expect(await isReady.isSet)
    #expect(await setting.outcome("next").disposition == .done)
    #expect(await setting.target.outage == nil)
    await setting.close()
  }

  @Test func failuresOpenTheCircuitButAreAttempts() async throws {
    let server = try ScriptedServer(.answer(Self.answer("503 Away", "Retry-After: 300\r\n")))
    defer { server.stop() }
    let setting = try await TargetScene(port: server.port, concurrency: 1)

    var outcomes: [WorkerOutcome] = []
    for number in 1...6 { outcomes.append(await setting.outcome("\(number)")) }

    #expect(outcomes.prefix(5).allSatisfy { $0.disposition == .retry(after: 300) })
    #expect(outcomes.last?.disposition == .pause)
    #expect(server.requests.count == 5)
    await setting.close()
  }

  @Test func aCallerGetsTheTargetsOwnAnswer() async throws {
    let server = try ScriptedServer(
      .answers([
        Self.answer("200 OK", "Content-Type: application/json\r\n", body: #"{"a":1}"#),
        Self.answer("201 Created", "Content-Type: text/plain\r\n", body: "made"),
        Self.answer("404 Not Found", "Content-Type: text/plain\r\n", body: "none"),
      ]))
    defer { server.stop() }
    let setting = try await TargetScene(port: server.port, concurrency: 1)

    let (document, text, refusal) = await (
      setting.outcome(trigger: .http), setting.outcome(trigger: .http), setting.outcome(trigger: .http)
    )

    if case .exited(0, let output) = document.ending { #expect(output?["a"]?.intValue == 1) } else { Issue.record() }
    #expect(document.answer == nil)
    #expect(text.answer?["statusCode"]?.intValue == 201 && text.answer?["body"]?.stringValue == "made")
    #expect(text.answer?["headers"]?["Content-Type"]?.stringValue == "text/plain")
    #expect(refusal.answer?["statusCode"]?.intValue == 404 && refusal.disposition == .permanent)
    await setting.close()
  }

  @Test func noMoreAreOnTheirWayThanItsConcurrency() async throws {
    let server = try ScriptedServer(.silence)
    defer { server.stop() }
    let setting = try await TargetScene(port: server.port, concurrency: 3)

    let outcomes = Task {
      await withTaskGroup(of: WorkerOutcome.self) { group in
        for number in 0..<10 { group.addTask { await setting.outcome("\(number)") } }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    while await setting.pool.load < 10 { await Task.yield() }
    #expect(await setting.pool.waiting == 7)
    #expect(await setting.pool.handled.count == 3)
    await setting.close()

    // The end of the runner breaks off what is on its way; nothing is settled.
    #expect(await outcomes.value.allSatisfy { $0.disposition == .pause })
  }
}

@RunnerLoop
private final class Flag {
  var isSet = false

  func clear() { isSet = false }
}
