import Foundation

/// The end of a service manager: a datagram socket that a program under test writes to.
package final class NotifySocket: Sendable {
  private let descriptor: Int32

  /// - Parameter address: a path, or `@` and a name that is no file.
  package init(_ address: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(address.utf8)
    let isAbstract = bytes.first == UInt8(ascii: "@")
    if isAbstract { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard result == 0 else { throw SystemError("bind \(address)") }
  }

  deinit { close(descriptor) }

  /// The next datagram; blocks up to two minutes.
  package func receive() throws -> String {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, 120_000) == 1 else { throw SystemError("no datagram came") }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw SystemError("recv") }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  /// The next datagram with this line, by way of a thread that may block.
  package func datagram(with line: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            while true {
              let text = try self.receive()
              if text.split(separator: "\n").contains(Substring(line)) { return text }
            }
          })
      }
    }
  }
}
