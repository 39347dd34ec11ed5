import Glibc
import TestSupport
import Testing

@testable import System

/// The messages that a service manager hears, on a real socket of its own.
struct ServiceManagerTests {
  private static func manager(_ variables: [String: String]) -> ServiceManager? { ServiceManager { variables[$0] } }

  @Test(arguments: [false, true]) func aDatagramArrives(_ isAbstract: Bool) throws {
    let folder = try TemporaryDirectory()
    let address = isAbstract ? "@\(folder.path)/notify" : "\(folder.path)/notify"
    let socket = try NotifySocket(address)
    let manager = try #require(Self.manager(["NOTIFY_SOCKET": address]))

    #expect(manager.tell("READY=1", "STATUS=two\nlines"))

    #expect(try socket.receive() == "READY=1\nSTATUS=two lines")
  }

  @Test(arguments: ["", "@", "notify", "vsock:2:1"]) func anAddressOfAnotherKindIsNobody(_ address: String) {
    #expect(Self.manager(["NOTIFY_SOCKET": address]) == nil)
    #expect(Self.manager([:]) == nil)
  }

  @Test func nobodyWhoListensIsNoFailureOfThisProcess() throws {
    let folder = try TemporaryDirectory()
    #expect(Self.manager(["NOTIFY_SOCKET": "\(folder.path)/nobody"])?.tell("READY=1") == false)
    #expect(Self.manager(["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)])?.tell("READY=1") == false)
  }

  @Test func theWatchdogIsForTheProcessThatItNames() throws {
    func watchdog(_ variables: [String: String]) -> Duration? {
      Self.manager(variables.merging(["NOTIFY_SOCKET": "/x"]) { $1 })?.watchdog
    }

    #expect(watchdog(["WATCHDOG_USEC": "3000000"]) == .seconds(3))
    #expect(watchdog(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(3))
    #expect(watchdog(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"]) == nil)
    #expect(watchdog(["WATCHDOG_USEC": "0"]) == nil && watchdog(["WATCHDOG_USEC": "x"]) == nil && watchdog([:]) == nil)
    #expect(Self.manager(["NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "3000000"])?.beat == .milliseconds(1_500))
    #expect(Self.manager(["NOTIFY_SOCKET": "/x"])?.beat == .seconds(5))
  }
}
