import Glibc
import System
import TestSupport
import Testing
import Workers

@testable import Targets

/// Targets that redirect or flood.
struct BadAnswerTests {
  private static func redirect(_ status: Int, _ place: String) -> String {
    "HTTP/1.1 \(status) Elsewhere\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n"
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func aRedirectIsNotFollowedAndItsPlaceIsNamedWithoutSecrets(status: Int) async throws {
    let other = try ScriptedServer(.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
    defer { other.stop() }
    let place = "http://name:word@127.0.0.1:\(other.port)/?token=hidden"
    let server = try ScriptedServer(.answer(Self.redirect(status, place)))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port)

    let outcome = await scene.outcome()

    #expect(outcome.code == "TARGET_REFUSED" && outcome.disposition == .permanent)
    #expect(
      outcome.message == """
        http://127.0.0.1:\(server.port) answered \(status): it redirects to http://127.0.0.1:\(other.port), which is not \
        followed.
        """)
    #expect(server.requests.count == 1 && other.requests.isEmpty)
    await scene.close()
  }

  @Test func aRedirectToItselfIsNoLoop() async throws {
    let server = try ScriptedServer(.answer(Self.redirect(307, "/events")))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port)

    let outcomes = [await scene.outcome("1"), await scene.outcome("2", trigger: .http)]

    #expect(outcomes.allSatisfy { $0.disposition == .permanent && $0.message.contains("redirects to another path") })
    #expect(outcomes[1].answer == nil)
    #expect(server.requests.count == 2)
    await scene.close()
  }

  @Test func manyLargeAnswersTogetherHaveABound() async throws {
    let body = String(repeating: "x", count: 3_000_000)
    let whole = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    let servers = try (0..<4).map { _ in try ScriptedServer(.answer(whole + body)) }
    defer { servers.forEach { $0.stop() } }
    let small = try await TargetScene(port: servers[0].port, memory: 1_000_000)

    // A caller wants the whole answer: there is no room for it, which is not the target's fault.
    let call = await small.outcome(trigger: .http)
    #expect(call.code == "TARGET_BUSY" && call.disposition == .retry(after: 1))
    #expect(call.message == "The answers of targets take all the memory that they may.")
    #expect(await small.target.circuit == Circuit())
    // Of an event's answer only the beginning is kept, or less: it is done.
    #expect(await small.outcome().disposition == .done)
    await small.close()

    // What was given back can be used again.
    let large = try await TargetScene(port: servers[1].port, memory: 4_000_000)
    for _ in 0..<3 { #expect(await large.outcome(trigger: .http).disposition == .done) }
    await large.close()
  }

  /// The status counts, and the pause that it asks for.
  @Test(arguments: [
    ("408 Timeout", "TARGET_FAILED", true), ("425 Early", "TARGET_FAILED", true), ("429 Busy", "TARGET_BUSY", false),
    ("500 Error", "TARGET_FAILED", false), ("503 Away", "TARGET_FAILED", false),
  ])
  func aFailureWithoutEndIsTriedAgain(_ status: String, _ code: String, _ isWell: Bool) async throws {
    let server = try ScriptedServer(.flood(head: "HTTP/1.1 \(status)\r\nRetry-After: 7\r\n\r\n"))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, concurrency: 1)

    for (number, trigger) in [InvocationTrigger.queue, .http].enumerated() {
      let outcome = await scene.outcome("\(number)", trigger: trigger)
      #expect(outcome.code == code && outcome.disposition == .retry(after: 7))
    }

    #expect(await scene.target.circuit.state == .closed(failures: isWell ? 0 : 2))
    await scene.close()
  }

  @Test func aRefusalWithoutEndStaysOne() async throws {
    let server = try ScriptedServer(.flood(head: "HTTP/1.1 404 Not Found\r\n\r\n"))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port)

    #expect(await scene.outcome().disposition == .permanent)
    await scene.close()
  }

  @Test func answersWithoutEndAreAllBrokenOff() async throws {
    let server = try ScriptedServer(.flood(head: "HTTP/1.1 200 OK\r\n\r\n"))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, concurrency: 8, memory: 100_000)

    let outcomes = await withTaskGroup(of: WorkerOutcome.self) { group in
      for number in 0..<8 { group.addTask { await scene.outcome("\(number)") } }
      return await group.reduce(into: []) { $0.append($1) }
    }

    #expect(outcomes.allSatisfy { $0.code == "INVALID_OUTPUT" && $0.disposition == .permanent })
    await scene.close()
  }
}
