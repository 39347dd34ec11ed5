import FunctionKit
import System
import TestSupport
import Testing
import Workers

@testable import Targets

/// Several events with one request.
struct BatchTargetTests {
  private static func answer(_ status: String = "200 OK", _ body: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private static func failing(_ ids: String...) -> String {
    let items = ids.map { #"{"itemIdentifier":"\#($0)"}"# }.joined(separator: ",")
    return answer("200 OK", #"{"batchItemFailures":[\#(items)]}"#)
  }

  /// The ids of the events of each request.
  private static func ids(_ server: ScriptedServer) throws -> [[String]] {
    try server.requests.map { request in
      let body = request.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
      let events = try RawJSON(validating: Array(body.utf8)[...]).elements ?? []
      return events.compactMap { $0["id"]?.stringValue }
    }
  }

  @Test func eventsThatComeTogetherShareARequest() async throws {
    let server = try ScriptedServer(.answer(Self.answer()))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, concurrency: 1, batch: 3)
    let ids = (1...7).map(String.init)

    let outcomes = await scene.outcomes(ids)

    #expect(outcomes.count == 7 && outcomes.values.allSatisfy { $0.disposition == .done })
    #expect(try Self.ids(server) == [["1", "2", "3"], ["4", "5", "6"], ["7"]])
    for request in server.requests {
      #expect(request.contains("Content-Type: application/cloudevents-batch+json\r\n"))
      #expect(!request.contains("ce-id:"))
    }
    await scene.close()
  }

  @Test func onlyThoseThatTheAnswerNamesHaveFailed() async throws {
    let server = try ScriptedServer(.answer(Self.failing("2", "4")))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, batch: 8)

    let outcomes = await scene.outcomes(["1", "2", "3", "4"])

    for id in ["1", "3"] { #expect(outcomes[id]?.disposition == .done) }
    for id in ["2", "4"] { #expect(outcomes[id]?.disposition == .retry(after: nil)) }
    #expect(outcomes["2"]?.message == "http://127.0.0.1:\(server.port) says that it has failed.")
    #expect(try Self.ids(server).count == 1)
    await scene.close()
  }

  @Test(arguments: [
    failing("1", "9"), failing(""), answer("200 OK", #"{"batchItemFailures":{}}"#),
    answer("200 OK", #"{"batchItemFailures":[1]}"#),
  ])
  func anAnswerThatNamesOthersFailsAll(_ answer: String) async throws {
    let server = try ScriptedServer(.answer(answer))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, batch: 8)

    let outcomes = await scene.outcomes(["1", "2"])

    #expect(outcomes.values.allSatisfy { $0.code == "TARGET_FAILED" && $0.disposition == .retry(after: nil) })
    await scene.close()
  }

  @Test(arguments: [
    answer("200 OK", "fine"), answer("202 Accepted", "[]"), answer("200 OK", #"{"batchItemFailures":[]}"#),
    answer("200 OK", #"{"batchItemFailures":null}"#),
  ])
  func anAnswerThatNamesNoneIsDone(_ answer: String) async throws {
    let server = try ScriptedServer(.answer(answer))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, batch: 8)
    #expect(await scene.outcomes(["1", "2"]).values.allSatisfy { $0.disposition == .done })
    await scene.close()
  }

  @Test func aRefusedBatchIsSentEventByEvent() async throws {
    let (refusal, done) = (Self.answer("422 No"), Self.answer())
    let server = try ScriptedServer(.answers([refusal, done, refusal, done]))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, concurrency: 4, batch: 8)

    let outcomes = await scene.outcomes(["1", "2", "3"])

    #expect(try Self.ids(server) == [["1", "2", "3"], ["1"], ["2"], ["3"]])
    #expect(outcomes["2"]?.code == "TARGET_REFUSED")
    for id in ["1", "3"] { #expect(outcomes[id]?.disposition == .done) }
    #expect(await scene.pool.load == 0)
    await scene.close()
  }

  @Test func aFailedBatchIsTriedAgainAndWhatHasFailedComesAlone() async throws {
    let server = try ScriptedServer(.answers([Self.answer("503 Busy", ""), Self.answer()]))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, concurrency: 1, batch: 8)

    let first = await scene.outcomes(["1", "2"])
    #expect(first.values.allSatisfy { $0.disposition == .retry(after: nil) })
    _ = await scene.outcomes(["r1", "3", "r2", "4", "5"])

    #expect(try Self.ids(server) == [["1", "2"], ["r1"], ["3"], ["r2"], ["4", "5"]])
    await scene.close()
  }

  @Test func aCallComesAlone() async throws {
    let server = try ScriptedServer(.answer(Self.answer("200 OK", #"{"a":1}"#)))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, batch: 8)

    let outcome = await scene.outcome("1", trigger: .http)

    if case .exited(0, let output) = outcome.ending { #expect(output?["a"]?.intValue == 1) } else { Issue.record() }
    #expect(server.requests.first?.contains("ce-id: 1\r\n") == true)
    await scene.close()
  }

  @Test func eventsOfATargetThatIsAwayComeBack() async throws {
    let (descriptor, port) = try boundSocket()
    let scene = try await TargetScene(port: port, batch: 4)

    let outcomes = await scene.outcomes((1...20).map(String.init))

    #expect(outcomes.values.allSatisfy { $0.disposition == .pause && $0.isOutage })
    await scene.close()
    withExtendedLifetime(descriptor) {}
  }
}
