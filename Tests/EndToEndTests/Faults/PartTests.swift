import Foundation
import TestSupport
import Testing

/// Parts of a runner that end by themselves.
@Suite(.heavy)
struct PartTests {
  @Test func aGatewayThatCanNoLongerListenEndsTheRunner() async throws {
    let runner = try await RunningRunner(#"{"functions":{"echo":{}}}"#)
    let served = try await runner.start()
    let port = try #require(URL(string: served.url)?.port)

    try shutDown(listenerOn: UInt16(port), of: served.program.processID)

    #expect(try await served.program.exit() == 75)
    let line = try #require(served.program.lines.first { $0.contains("the server cannot go on without it") })
    #expect(line.contains(#""part":"gateway""#))
    #expect(line.contains("The runner can no longer listen on port \(port): Invalid argument."))
    #expect(served.program.lines.contains { $0.contains("Stopping") })
  }

  /// Shuts down the listening socket of another process, through a copy of its descriptor.
  private func shutDown(listenerOn port: UInt16, of process: pid_t) throws {
    typealias SystemCall = @convention(c) (Int, Int, Int, Int) -> Int
    let (open, copy) = (434, 438)
    let call = unsafeBitCast(try #require(dlsym(nil, "syscall")), to: SystemCall.self)
    let handle = call(open, Int(process), 0, 0)
    try #require(handle >= 0)
    defer { close(Int32(handle)) }
    let copies = (3..<256).map { Int32(call(copy, handle, $0, 0)) }.filter { $0 >= 0 }
    defer { copies.forEach { close($0) } }
    let listener = try #require(copies.first { isListening($0) && boundPort(of: $0) == port })
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func isListening(_ socket: Int32) -> Bool {
    var (answer, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &answer, &size) == 0 && answer == 1
  }

  private func boundPort(of socket: Int32) -> UInt16? {
    var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
  }
}
