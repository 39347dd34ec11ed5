import Glibc
import TestSupport

/// A kept-alive connection that makes the same call again and again.
final class CallConnection {
  let descriptor: Int32
  private let request: [UInt8]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private var received = 0
  private var started = ContinuousClock.now

  init(port: UInt16, request: [UInt8]) throws {
    self.request = request
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try RawConnection.connect(descriptor, port: port)
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  /// Sends the request, which fits into any socket's buffer.
  func call() throws {
    started = .now
    guard write(descriptor, request, request.count) == request.count else {
      throw BenchmarkError("The request could not be written.")
    }
  }

  /// Takes the bytes that have come; the milliseconds of the call when the answer is complete.
  func receive() throws -> Double? {
    let count = read(descriptor, buffer.baseAddress?.advanced(by: received), buffer.count - received)
    if count < 0, errno == EAGAIN || errno == EINTR { return nil }
    guard count > 0 else { throw BenchmarkError("The gateway closed the connection.") }
    received += count
    guard let answer = Answer(UnsafeRawBufferPointer(rebasing: buffer[..<received])) else { return nil }
    guard answer.status == 200, answer.size == received else {
      throw BenchmarkError("Answered: \(String(decoding: buffer[..<received], as: UTF8.self))")
    }
    received = 0
    return (ContinuousClock.now - started).milliseconds
  }
}

/// The beginning of an HTTP answer that states its length.
private struct Answer {
  let status: Int
  /// The bytes of head and body.
  let size: Int

  /// Reads an answer; `nil` while it is incomplete.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let end = Self.find("\r\n\r\n", in: bytes), bytes.count > 12 else { return nil }
    status = Self.number(bytes[9...])
    let head = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    let length = Self.find("\r\nContent-Length: ", in: head).map { Self.number(head[($0 + 18)...]) } ?? 0
    size = end + 4 + length
    if bytes.count < size { return nil }
  }

  private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    bytes.prefix { (0x30...0x39).contains($0) }.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func find(_ text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
    text.withUTF8Buffer { wanted in
      guard bytes.count >= wanted.count else { return nil }
      return (0...bytes.count - wanted.count).first { start in
        bytes[start] == wanted[0] && wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] }
      }
    }
  }
}
