import TestSupport
import Testing

@testable import Gateway
@testable import System

/// A gateway that is about to stop, as clients see it.
@Suite(.heavy)
struct DrainTests {
  @RunnerLoop
  @Test func whatRunsIsAnsweredAndNothingElseBegins() async throws {
    try await withGateway(["f": ServedGateway.waiting]) { served in
      let (running, idle, asking, late) = (
        try RawConnection(port: served.port), try RawConnection(port: served.port),
        try RawConnection(port: served.port), try RawConnection(port: served.port)
      )
      idle.send(request("GET /_/health"))
      _ = try await idle.read(until: "OK\n")
      asking.send("GET /_/ready HTTP/1.1\r\n")
      late.send("POST /functions/v1/f HTTP/1.1\r\n")
      running.send(request("POST /functions/v1/f", body: "{}"))
      try await served.untilStarted()

      served.server.drain()

      #expect(try await idle.readToEnd() == "")
      #expect(throws: (any Error).self) { try RawConnection(port: served.port) }
      asking.send("Host: localhost\r\n\r\n")
      let readiness = try await asking.readToEnd()
      #expect(readiness.hasPrefix("HTTP/1.1 503 ") && readiness.contains("Connection: close\r\n"))
      late.send("Host: localhost\r\nContent-Length: 2\r\n\r\n{}")
      let refusal = try await late.readToEnd()
      #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("Retry-After: 1\r\n"))
      try served.release()
      let answer = try await running.readToEnd()
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("Connection: close\r\n") && answer.contains("done"))
      await served.server.finish(within: .seconds(120))
    }
  }

  @RunnerLoop
  @Test func aCallWhoseBodyComesTooLateDoesNotBegin() async throws {
    try await withGateway(["f": ServedGateway.waiting]) { served in
      let late = try RawConnection(port: served.port)
      late.send("POST /functions/v1/f HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
      _ = try await late.read(until: "100 Continue\r\n\r\n")

      served.server.drain()
      late.send("{}")

      let refusal = try await late.readToEnd()
      #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("STOPPING"))
    }
  }
}
