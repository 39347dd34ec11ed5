import Glibc
import Platform
import TestSupport
import Testing

@testable import Gateway
@testable import System

/// The gateway's listening socket, when the system gives no connection of it any more.
@RunnerLoop
struct ListenerTests {
  @Test func oneThatFailsIsToldWithItsReason() async throws {
    try await withGateway { served in
      let listener = try #require(served.server.listener?.descriptor)
      let end = Task { () -> String in
        do { try await served.server.run() } catch { return "\(error)" }
        return ""
      }

      shutdown(listener, Int32(SHUT_RDWR))

      #expect(await end.value == "The runner can no longer listen on port \(served.port): Invalid argument.")
      #expect(throws: (any Error).self) { try RawConnection(port: served.port) }
    }
  }

  @Test func oneThatIsDrainedEndsWithoutAnError() async throws {
    try await withGateway { served in
      let end = Task { try await served.server.run() }

      served.server.drain()

      try await end.value
    }
  }
}
