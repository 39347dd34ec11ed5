import TestSupport
import Testing

@testable import Gateway
@testable import System

/// Clients that take their time; every byte on their sockets is written here.
@Suite(.heavy)
struct SlowClientTests {
  private static let timeLimit = Duration.seconds(1)
  private static let head = "POST /functions/v1/f HTTP/1.1\r\nHost: localhost\r\n"

  @RunnerLoop
  @Test(arguments: [
    ("", "", "nothing at all"), ("", head, "a slow head"), (head, "X-A: b\r\n", "ever more header fields"),
    (head + "Content-Length: 100000\r\n\r\n{", " ", "a slow body"),
    (head + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", "slow chunks"),
  ])
  func whoNeverFinishesIsCutOff(_ sent: String, _ trickled: String, _ what: String) async throws {
    try await withGateway(timeLimit: Self.timeLimit) { served in
      // The server's time begins later, so however slow the machine is, no less has passed here.
      let start = ContinuousClock.now
      let connection = try RawConnection(port: served.port)
      connection.send(sent)

      let answer = try await connection.readToEnd(trickling: trickled)

      #expect(!answer.contains("200 OK"))
      #expect(.now - start >= Self.timeLimit)
    }
  }

  @RunnerLoop
  @Test func whoIsIdleAfterAnAnswerIsCutOff() async throws {
    try await withGateway(timeLimit: Self.timeLimit) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("GET /_/health"))

      #expect(try await connection.readToEnd().contains("200 OK"))
    }
  }

  @RunnerLoop
  @Test func whoDoesNotReadIsCutOff() async throws {
    let script = "printf '\"'; head -c 5000000 /dev/zero | tr '\\0' a; printf '\"'"
    try await withGateway(["f": script], timeLimit: Self.timeLimit) { served in
      let connection = try RawConnection(port: served.port, receiveBuffer: 4_096)
      connection.send(request("POST /functions/v1/f", body: "{}"))
      _ = try await connection.read(until: "200 OK")

      await served.server.finish(within: .seconds(120))

      #expect(try await connection.readToEnd().utf8.count < 5_000_000)
    }
  }

  @RunnerLoop
  @Test func aFunctionMayTakeLongerThanAClient() async throws {
    try await withGateway(["f": "sleep 0.6; echo 1"], timeLimit: .milliseconds(300)) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", body: "{}"))

      #expect(try await connection.read(until: "\r\n\r\n").contains("200 OK"))
    }
  }

  @RunnerLoop
  @Test func whoLeavesBeforeTheAnswerHarmsNobody() async throws {
    try await withGateway(["f": ServedGateway.waiting]) { served in
      var leaving: RawConnection? = try RawConnection(port: served.port)
      leaving?.send(request("POST /functions/v1/f", body: "{}"))
      try await served.untilStarted()
      leaving = nil
      let staying = try RawConnection(port: served.port)
      staying.send(request("POST /functions/v1/f", body: "{}"))

      try served.release()

      _ = try await staying.read(until: "done")
    }
  }
}
