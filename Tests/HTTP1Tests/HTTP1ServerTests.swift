import CLinux
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTP1

/// A server whose clients are slow.
struct HTTP1ServerTests {
  /// Answers each whole request with as many bytes as its path says; it keeps those of `/keep` until the test ends.
  private final class Service: HTTP1Service {
    let kept = Mutex<[HTTP1Reply]>([])

    func answer(toHead head: HTTP1Request) -> HTTP1Answer? { nil }

    func take(_ request: HTTP1Request, _ reply: HTTP1Reply) -> HTTP1LateAnswer? {
      guard let size = Int(request.path.dropFirst()) else {
        kept.withLock { $0.append(reply) }
        return request.path == "/late" ? { HTTP1ServerTests.text(504, "late") } : nil
      }
      reply(HTTP1ServerTests.text(200, String(repeating: "x", count: size) + "end"))
      return nil
    }

    func refusal(of malformed: MalformedRequest) -> HTTP1Answer {
      HTTP1ServerTests.text(malformed.status, malformed.problem)
    }
    func refusal(ofBodyOver limit: Int) -> HTTP1Answer { HTTP1ServerTests.text(413, "too large") }
    var refusalForMemory: HTTP1Answer { HTTP1ServerTests.text(503, "no memory") }
  }

  /// Serves until the body has ended.
  private func serving(
    _ limits: HTTP1Limits, _ body: (UInt16, Service) async throws -> Void
  ) async throws {
    let listener = try HTTP1Listener(host: "127.0.0.1", port: 0)
    var ends: [Int32] = [-1, -1]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    let (reading, writing, service) = (ends[0], ends[1], Service())
    let ended = AsyncStream.makeStream(of: Void.self)
    Thread.detachNewThread {
      HTTP1Server(listener, service, limits: limits, termination: reading).run()
      ended.continuation.finish()
    }
    func end() async {
      close(writing)
      for reply in service.kept.withLock({ $0 }) { reply(Self.text(200, "kept")) }
      for await _ in ended.stream {}
      close(reading)
    }
    do { try await body(listener.port, service) } catch {
      await end()
      throw error
    }
    await end()
  }

  private static func text(_ status: Int, _ text: String) -> HTTP1Answer {
    HTTP1Answer(status: status, body: Array(text.utf8))
  }

  private func limits(_ change: (inout HTTP1Limits) -> Void) -> HTTP1Limits {
    var limits = HTTP1Limits()
    change(&limits)
    return limits
  }

  private func post(_ path: String, _ length: Int) -> String {
    "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\r\n"
  }

  @Test(arguments: [
    "", "POST /1 HTTP/1.1\r\nHost: lo", "POST /1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1",
  ])
  func aClientThatStopsSendingLosesItsConnection(_ beginning: String) async throws {
    try await serving(limits { $0.client = .milliseconds(200) }) { port, _ in
      let connection = try RawConnection(port: port)
      connection.send(beginning)
      #expect(try await connection.readToEnd() == "")
    }
  }

  @Test(arguments: [
    "GET /1 HTTP/1.1\r\nX-Long: ", "POST /1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n",
  ])
  func bytesOneByOneBuyNoTime(_ beginning: String) async throws {
    try await serving(limits { $0.client = .milliseconds(300) }) { port, _ in
      let connection = try RawConnection(port: port)
      connection.send(beginning)
      #expect(try await connection.readToEnd(trickling: "aaaaaaaa") == "")
    }
  }

  @Test func aClientThatDoesNotReadItsAnswerLosesItsConnection() async throws {
    try await serving(limits { $0.client = .milliseconds(300) }) { port, _ in
      let connection = try RawConnection(port: port)
      connection.send(post("/20000000", 0))
      #expect(try await connection.read(until: "x").hasPrefix("HTTP/1.1 200 OK"))
      // Its time is over before that of one which comes later.
      #expect(try await RawConnection(port: port).readToEnd() == "")
      // What the system has taken comes, and then the end.
      #expect(try await connection.readToEnd().utf8.count < 20_000_000)
    }
  }

  @Test func unreadAnswersHaveABoundTogether() async throws {
    try await serving(limits { ($0.client, $0.bodies) = (.seconds(300), 30_000_000) }) { port, _ in
      let slow = try RawConnection(port: port)
      slow.send(post("/20000000", 0))
      _ = try await slow.read(until: "x")

      let next = try RawConnection(port: port)
      next.send("POST /20000001 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
      _ = try await next.read(until: "x")

      #expect(try await slow.readToEnd().utf8.count < 20_000_000)
      #expect(try await next.readToEnd().hasSuffix("end"))
    }
  }

  @Test func bodiesHaveABoundTogetherUntilTheyAreAnswered() async throws {
    try await serving(limits { ($0.client, $0.bodies) = (.seconds(300), 1_500_000) }) { port, service in
      let first = try RawConnection(port: port)
      first.send(post("/keep", 1_000_000))
      for _ in 0..<10 { first.send(String(repeating: "a", count: 100_000)) }
      while service.kept.withLock({ $0.isEmpty }) { await Task.yield() }

      let second = try RawConnection(port: port)
      second.send(post("/1", 1_000_000))
      for _ in 0..<10 { second.send(String(repeating: "a", count: 100_000)) }
      #expect(try await second.read(until: "no memory").hasPrefix("HTTP/1.1 503"))

      for reply in service.kept.withLock({ $0 }) { reply(Self.text(200, "kept")) }
      _ = try await first.read(until: "kept")
      second.send(post("/1", 1_000_000))
      for _ in 0..<10 { second.send(String(repeating: "a", count: 100_000)) }
      _ = try await second.read(until: "end")
    }
  }

  /// The other request may take as long as it wants.
  @Test func aServiceThatIsLateIsAnsweredForAndTheServerDrains() async throws {
    try await serving(limits { $0.work = .milliseconds(100) }) { port, service in
      let other = try RawConnection(port: port)
      other.send(post("/keep", 0))
      while service.kept.withLock({ $0.isEmpty }) { await Task.yield() }
      let late = try RawConnection(port: port)
      late.send(post("/late", 0) + post("/1", 0))

      let answer = try await late.readToEnd()
      #expect(answer.hasPrefix("HTTP/1.1 504 ") && answer.hasSuffix("\r\n\r\nlate"))
      #expect(answer.contains("Connection: close\r\n"))

      // What the service says afterwards reaches only who still waits for it.
      for reply in service.kept.withLock({ $0 }) { reply(Self.text(200, "kept")) }
      #expect(try await other.readToEnd().hasSuffix("kept"))
    }
  }

  @Test func moreConnectionsThanAllowedEndTheOneThatHasWaitedLongest() async throws {
    try await serving(limits { ($0.connections, $0.client) = (2, .seconds(600)) }) { port, _ in
      let first = try RawConnection(port: port)
      first.send(post("/1", 0))
      _ = try await first.read(until: "end")
      let others = try (0..<2).map { _ in try RawConnection(port: port) }
      #expect(try await first.readToEnd() == "")
      for other in others {
        other.send(post("/1", 0))
        _ = try await other.read(until: "end")
      }
    }
  }
}
