import EventLoop
import Foundation
import FunctionKit
import Glibc
import HTTPClient
import Signing
import TestSupport
import Testing

struct LoopHTTPClientTests {
  @Test func manyCallsShareTheLoopAndEachGetsItsOwnAnswer() async throws {
    let server = try ScriptedServer(
      .answer("HTTP/1.1 201 Created\r\nX-Word: there\r\nContent-Length: 2\r\n\r\nok"))
    defer { server.stop() }
    let calls = LoopedCalls()

    let answers = try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
      for number in 0..<100 {
        group.addTask { try await calls.send(HTTPCall(.post, "http://127.0.0.1:\(server.port)/\(number)")).get() }
      }
      return try await group.reduce(into: [HTTPAnswer]()) { $0.append($1) }
    }

    #expect(answers.count == 100)
    #expect(answers.allSatisfy { $0.status == 201 && $0.text == "ok" && $0["x-word"] == "there" })
    let paths = server.requests.compactMap { $0.split(separator: " ").dropFirst().first }
    #expect(Set(paths) == Set((0..<100).map { "/\($0)" }))
    await calls.close()
  }

  /// The server answers neither call before it has both.
  @Test func aCallWithoutTLSWaitsForNoOther() async throws {
    let (listener, port) = try Sockets.listen()
    Thread.detachNewThread {
      for socket in (0..<2).compactMap({ _ in Sockets.accept(listener) }) {
        _ = Sockets.send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)[...], to: socket)
        close(socket)
      }
      close(listener)
    }
    let calls = LoopedCalls()

    async let first = calls.send(HTTPCall(.get, "http://127.0.0.1:\(port)/"))
    async let second = calls.send(HTTPCall(.get, "http://127.0.0.1:\(port)/"))

    #expect(try await [first, second].map { try $0.get().status } == [204, 204])
    await calls.close()
  }

  @Test func itIsKnownWhetherTheServerMayHaveActed() async throws {
    let (descriptor, port) = try boundSocket()
    defer { Glibc.close(descriptor) }
    let server = try ScriptedServer(.hangUp)
    defer { server.stop() }
    let calls = LoopedCalls()

    let refused = await calls.send(HTTPCall(.post, "http://127.0.0.1:\(port)/")).failure
    let lost = await calls.send(HTTPCall(.post, "http://127.0.0.1:\(server.port)/")).failure

    #expect(refused?.code == .connectionRefused && refused?.isSent == false)
    #expect(lost?.code == .connectionLost && lost?.isSent == true)
    await calls.close()
  }

  @Test func aCallIsSentAgainEachTimeItsKeptConnectionHasEnded() async throws {
    let server = try ScriptedServer(.answerOnce("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
    defer { server.stop() }
    let calls = LoopedCalls()

    var answers: [Result<HTTPAnswer, HTTPClientError>] = []
    for number in 0..<20 {
      let call = HTTPCall(.post, "http://127.0.0.1:\(server.port)/\(number)", body: [0x7B, 0x7D])
      answers.append(await calls.send(call))
    }

    #expect(answers.map { try? $0.get().text } == Array(repeating: "ok", count: 20), "\(answers)")
    #expect(server.requests.count == 20)
    await calls.close()
  }

  @Test func aCallThatCannotBeSentIsAnsweredToo() async throws {
    let calls = LoopedCalls()
    #expect(await calls.send(HTTPCall(.post, "ftp://127.0.0.1/")).failure?.code == .invalidCall)
    await calls.close()
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\n\r\n", true), ("HTTP/1.1 200 OK\r\nX-Long: ", false),
  ])
  func neitherBodyNorHeadGrowsWithoutEnd(_ head: String, _ isBody: Bool) async throws {
    let server = try ScriptedServer(.flood(head: head))
    defer { server.stop() }
    let calls = LoopedCalls()

    let error = await calls.send(HTTPCall(.get, "http://127.0.0.1:\(server.port)/"), HTTPLimits(body: 100_000)).failure

    // libcurl itself ends a line that is too long.
    #expect(isBody ? error?.code == .tooLarge : error != nil)
    await calls.close()
  }

  @Test func ofALongBodyTheBeginningIsKept() async throws {
    let server = try ScriptedServer(.answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"))
    defer { server.stop() }
    let calls = LoopedCalls()

    let answer = try await calls.send(HTTPCall(.get, "http://127.0.0.1:\(server.port)/"), HTTPLimits(kept: 4)).get()

    #expect(answer.text == "0123")
    await calls.close()
  }

  @Test func closingEndsWhatIsUnderWay() async throws {
    let server = try ScriptedServer(.silence)
    defer { server.stop() }
    let calls = LoopedCalls()

    let result = await calls.sendAndClose(HTTPCall(.get, "http://127.0.0.1:\(server.port)/"))

    #expect(result.failure?.code == .cancelled)
  }

  /// Computed here by AWS's own description, with another implementation of HMAC and SHA-256 than libcurl's.
  @Test func aCallIsSignedForAWS() async throws {
    let server = try ScriptedServer(.answer("HTTP/1.1 204 No Content\r\n\r\n"))
    defer { server.stop() }
    let calls = LoopedCalls()
    var call = HTTPCall(
      .post, "http://127.0.0.1:\(server.port)/events",
      headers: [("Content-Type", "application/json"), ("ce-id", "1.2"), ("X-Amz-Security-Token", "TOKEN")],
      body: Array(#"{"a":1}"#.utf8))
    call.signature = AWSSignature(region: "eu-central-1", service: "lambda", accessKey: "AKID", secretKey: "SECRET")

    _ = try await calls.send(call).get()
    await calls.close()

    let request = try SignedRequest(#require(server.requests.first))
    #expect(request.credential.hasPrefix("AKID/"))
    #expect(request.credential.hasSuffix("/eu-central-1/lambda/aws4_request"))
    #expect(Set(request.signedHeaders).isSuperset(of: ["host", "x-amz-date", "x-amz-security-token"]))
    #expect(request.signature == request.expected(secret: "SECRET"))
    #expect(request.signature != request.expected(secret: "OTHER"))
  }
}

/// A client on a loop of its own.
private actor LoopedCalls {
  nonisolated let loop = EventLoop(name: "test")
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private lazy var client = LoopHTTPClient(on: loop, connections: 8)

  func send(
    _ call: HTTPCall, _ limits: HTTPLimits = HTTPLimits(total: .seconds(60))
  ) async -> Result<HTTPAnswer, HTTPClientError> {
    await withCheckedContinuation { done in
      client.send(call, limits: limits) { done.resume(returning: $0) }
    }
  }

  /// Closes while the call is under way.
  func sendAndClose(_ call: HTTPCall) async -> Result<HTTPAnswer, HTTPClientError> {
    await withCheckedContinuation { done in
      client.send(call) { done.resume(returning: $0) }
      close()
    }
  }

  func close() {
    client.close()
    loop.stop()
  }
}

extension Result where Failure == HTTPClientError {
  fileprivate var failure: HTTPClientError? { if case .failure(let error) = self { error } else { nil } }
}
