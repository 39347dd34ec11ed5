import Foundation
import Glibc
import Platform

/// A TCP connection to this machine; a test decides every byte of it.
package final class RawConnection: Sendable {
  private let descriptor: Int32

  /// Connects.
  ///
  /// - Parameter receiveBuffer: how many bytes the kernel may take in advance, where there are to be few.
  package init(port: UInt16, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    try Self.connect(descriptor, port: port)
  }

  /// Connects a socket to a port of this machine.
  package static func connect(_ descriptor: Int32, port: UInt16) throws {
    let address = SocketAddress(host: "127.0.0.1", port: port)
    guard address?.withPointer({ Glibc.connect(descriptor, $0, $1) }) == 0 else { throw SystemError("connect") }
  }

  deinit { close(descriptor) }

  /// Writes a text that fits into the socket's buffer; `false` when the other side has closed.
  @discardableResult
  package func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Reads until what has come contains a text.
  ///
  /// - Throws: when the other side closes before, or nothing more comes in time.
  package func read(until text: String, within limit: Duration = .seconds(120)) async throws -> String {
    try await onThread { [self] in
      var read = ""
      while !read.contains(text) {
        guard let piece = try piece(within: limit), !piece.isEmpty else {
          throw ProgramFailure(description: "Closed after: \(read)")
        }
        read += piece
      }
      return read
    }
  }

  /// Reads until the other side closes.
  ///
  /// - Parameter trickling: sent byte by byte meanwhile, one each 20 ms, and again from the beginning.
  /// - Throws: when it does not close in time.
  package func readToEnd(trickling text: String = "", within limit: Duration = .seconds(120)) async throws -> String {
    try await onThread { [self] in
      let deadline = ContinuousClock.now + limit
      let bytes = text.map(String.init)
      var (read, sent) = ("", 0)
      while .now < deadline {
        let piece = try piece(within: text.isEmpty ? limit : .milliseconds(20))
        if piece == "" { return read }
        if let piece { read += piece } else if !bytes.isEmpty { send(bytes[sent % bytes.count]) }
        sent += 1
      }
      throw ProgramFailure(description: "Not closed after: \(read.prefix(1_000))")
    }
  }

  /// The next bytes; empty at the end, `nil` when nothing comes in time.
  private func piece(within limit: Duration) throws -> String? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = poll(&entry, 1, Int32(limit / .milliseconds(1)))
    guard ready > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  /// Waiting blocks, and a thread of the shared pool must not.
  private func onThread(_ body: @escaping @Sendable () throws -> String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
