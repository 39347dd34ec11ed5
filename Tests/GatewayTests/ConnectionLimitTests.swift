import TestSupport
import Testing

@testable import System

/// More connections than there may be.
@Suite(.heavy)
struct ConnectionLimitTests {
  @RunnerLoop
  private func health(of served: ServedGateway) async throws {
    let connection = try RawConnection(port: served.port)
    connection.send(request("GET /_/health"))
    _ = try await connection.read(until: "OK\n")
  }

  @RunnerLoop
  @Test func theOldestIdleOneEnds() async throws {
    try await withGateway(mostConnections: 3) { served in
      let connections = try (0..<3).map { _ in try RawConnection(port: served.port) }
      for index in [1, 0, 2] {
        connections[index].send(request("GET /_/health"))
        _ = try await connections[index].read(until: "OK\n")
      }

      try await health(of: served)

      #expect(try await connections[1].readToEnd() == "")
      for index in [0, 2] {
        connections[index].send(request("GET /_/health"))
        _ = try await connections[index].read(until: "OK\n")
      }
    }
  }

  @RunnerLoop
  @Test(arguments: [
    "", "GET / HTTP/1.1\r\nHost:", "POST /functions/v1/f HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
  ])
  func whoeverSendsHalfARequestKeepsNobodyOut(_ text: String) async throws {
    try await withGateway(mostConnections: 50) { served in
      var connections: [RawConnection] = []
      for count in [49, 70] {
        for _ in 0..<count {
          connections.append(try RawConnection(port: served.port))
          connections.last?.send(text)
        }
        // It is answered when everything that was sent before has been read.
        try await health(of: served)
      }

      #expect(try await connections[0].readToEnd() == "")
      withExtendedLifetime(connections) {}
    }
  }

  @RunnerLoop
  @Test func callsThatRunAreNotEndedAndLeaveRoomForTheQuestionAfterHealth() async throws {
    try await withGateway(["f": ServedGateway.waiting], mostConnections: 2) { served in
      let running = try RawConnection(port: served.port)
      running.send(request("POST /functions/v1/f", body: "{}"))
      try await served.untilStarted()
      let refused = try RawConnection(port: served.port)
      refused.send(request("POST /functions/v1/f", body: "{}"))

      let refusal = try await refused.read(until: "BUSY")
      #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("Retry-After: 1\r\n"))
      let figures = try RawConnection(port: served.port)
      figures.send(request("GET /metrics"))
      _ = try await figures.read(until: "BUSY")
      try await health(of: served)
      try await health(of: served)
      try served.release()

      _ = try await running.read(until: "done")
    }
  }

  @Test(arguments: [(256, 224, 64), (1_024, 224, 800), (20_000, 224, 19_776), (100, 224, 25)])
  func whatFunctionsNeedIsLeft(_ limit: UInt, _ others: UInt, _ share: UInt) {
    #expect(DescriptorLimit.needed(forProcesses: 32) == others)
    #expect(DescriptorLimit.share(of: limit, besides: others) == share)
  }
}
