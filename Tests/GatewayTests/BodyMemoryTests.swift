import FunctionKit
import TestSupport
import Testing

@testable import Gateway
@testable import Manifest
@testable import System

/// The memory that unfinished and large bodies may take.
@Suite(.heavy)
struct BodyMemoryTests {
  @RunnerLoop
  @Test func aFunctionsOwnLimitCountsFromTheHeadOn() async throws {
    let memory = BodyMemory()
    let trigger = Trigger.http(HTTPTrigger(auth: .function, largestBody: 1_000))
    try await withGateway(triggers: [trigger], memory: memory) { served in
      let asking = try RawConnection(port: served.port)
      asking.send(request("POST /functions/v1/f", "Content-Length: 1001", "Expect: 100-continue"))
      #expect(try await asking.readToEnd().contains("The body is larger than 1000 bytes."))

      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", "Content-Length: 1000000"))
      connection.send(String(repeating: " ", count: 100_000))
      let other = try RawConnection(port: served.port)
      other.send(request("POST /functions/v1/f", "Transfer-Encoding: chunked") + "F4240\r\n")
      other.send(String(repeating: " ", count: 100_000))
      let third = try RawConnection(port: served.port)
      third.send(request("GET /_/health"))
      _ = try await third.read(until: "OK\n")
      #expect(memory.used <= 1_000)

      connection.send(String(repeating: " ", count: 900_000))
      #expect(try await connection.read(until: "TOO_LARGE").hasPrefix("HTTP/1.1 413 "))
    }
  }

  @RunnerLoop
  @Test func allBodiesTogetherHaveABound() async throws {
    let memory = BodyMemory(mebibytes: 1)
    try await withGateway(memory: memory) { served in
      let unfinished = try (0..<4).map { _ in try RawConnection(port: served.port) }
      for connection in unfinished {
        connection.send(request("POST /functions/v1/f", "Content-Length: 400000"))
        connection.send(String(repeating: " ", count: 300_000))
      }
      while memory.used < 600_000 { await Task.yield() }
      let late = try RawConnection(port: served.port)
      late.send(request("POST /functions/v1/f", "Content-Length: 500000"))
      late.send(String(repeating: " ", count: 500_000))

      let refusal = try await late.read(until: "BUSY")

      #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("Retry-After: 1\r\n"))
      #expect(memory.used <= 1 << 20)
      late.send(request("GET /_/health"))
      _ = try await late.read(until: "OK\n")
    }
    #expect(memory.used == 0)
  }

  @RunnerLoop
  @Test func memoryIsHeldUntilTheAnswerAndThenGivenBack() async throws {
    let memory = BodyMemory()
    try await withGateway(["f": ServedGateway.waiting], timeLimit: .seconds(1), memory: memory) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", body: "\"\(String(repeating: "a", count: 900_000))\""))
      try await served.untilStarted()
      #expect(memory.used >= 900_000)

      try served.release()

      _ = try await connection.read(until: "done")
      #expect(memory.used == 0)
    }
  }

  @RunnerLoop
  @Test func theAllocatorGivesBackWhatBodiesHad() async throws {
    let memory = BodyMemory()
    try await withGateway(timeLimit: .milliseconds(300), memory: memory) { served in
      let connections = try (0..<8).map { _ in try RawConnection(port: served.port) }
      for connection in connections {
        connection.send(request("POST /functions/v1/f", "Content-Length: 900000"))
        connection.send(String(repeating: " ", count: 800_000))
      }
      for connection in connections { _ = try await connection.readToEnd() }

      while memory.isWorthTrimming { await Task.yield() }

      #expect(memory.used == 0)
    }
  }

  @RunnerLoop
  @Test func unreadAnswersHaveABoundTogether() async throws {
    let script = #"printf '{"statusCode":200,"body":"'; head -c 6000000 /dev/zero | tr '\0' x; echo '"}'"#
    try await withGateway(["f": script], memory: BodyMemory(mebibytes: 8)) { served in
      let slow = try RawConnection(port: served.port, receiveBuffer: 4_096)
      slow.send(request("POST /functions/v1/f"))
      _ = try await slow.read(until: "xxx")
      #expect(served.server.unread.used > 6_000_000)

      let next = try RawConnection(port: served.port, receiveBuffer: 4_096)
      next.send(request("POST /functions/v1/f", "Connection: close"))
      _ = try await next.read(until: "xxx")

      // The system has taken some of it.
      #expect(try await slow.readToEnd().utf8.count < 5_900_000)
      #expect(served.server.unread.used <= 8 << 20)
      #expect(try await next.readToEnd().utf8.count > 5_900_000)
      while served.server.unread.used > 0 { await Task.yield() }
    }
  }

  @Test(arguments: [" ", "0", "-1", "64 MiB", "1.5", "99999999999"])
  func aBoundIsANumberOfMebibytes(_ text: String) {
    #expect { try BodyMemory.mebibytes(Environment(["RUNNER_BODY_MEMORY": text])) } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains("RUNNER_BODY_MEMORY")
    }
  }

  @Test func theBoundMayBeSet() throws {
    #expect(try BodyMemory.mebibytes(Environment([:])) == 64)
    #expect(try BodyMemory.mebibytes(Environment(["RUNNER_BODY_MEMORY": "7"])) == 7)
  }
}
