import Glibc
import Platform
import Testing

@testable import System

struct PortHolderTests {
  @Test(arguments: ["127.0.0.1", "::1"])
  func whoHasATakenPortIsNamedAndHowToTakeAnother(_ host: String) throws {
    let held = try ListeningSocket.open(host: host, port: 0)
    defer { close(held.descriptor) }

    let error = #expect(throws: ListenError.self) { try ListeningSocket.open(host: host, port: held.port) }

    let sentence = error.map { "\($0)" } ?? ""
    #expect(sentence.hasPrefix("The runner cannot listen on port \(held.port) of \(host): Address already in use by "))
    #expect(sentence.contains(" by process \(getpid()) (") && sentence.contains("--port N"))
  }
}
