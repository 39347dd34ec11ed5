import Foundation
import Glibc
import Synchronization
import TestSupport

/// A page of the console that somebody has open: it follows the runner's changes, as a browser does.
final class OpenPage: Sendable {
  /// The shortest time between two readings of a page (live.js).
  private static let pause = Duration.milliseconds(400)
  static let path = "/_/console/"

  private let port: UInt16
  private let stream: Int32
  private let readings = Atomic(0)
  private let end = AsyncStream<Void>.makeStream()

  /// Opens the stream, and returns when the runner has accepted it.
  ///
  /// - Parameter reads: whether the page reads itself again after a change.
  init(port: UInt16, reads: Bool) throws {
    self.port = port
    stream = try Self.connect(port, asking: "GET \(Self.path)changes HTTP/1.1\r\nHost: localhost\r\n\r\n")
    guard Self.receive(stream).hasPrefix("HTTP/1.1 200 ") else {
      Glibc.close(stream)
      throw BenchmarkError("The stream of changes was refused.")
    }
    Thread.detachNewThread { [self] in
      follow(reads: reads)
      end.continuation.finish()
    }
  }

  /// How often the page was read.
  var count: Int { readings.load(ordering: .relaxed) }

  /// Closes it, and returns when nothing is read any more.
  func close() async {
    shutdown(stream, Int32(SHUT_RDWR))
    for await _ in end.stream {}
    Glibc.close(stream)
  }

  private func follow(reads: Bool) {
    var last = ContinuousClock.now - Self.pause
    while true {
      let text = Self.receive(stream)
      if text.isEmpty { return }
      guard reads, text.contains("event: change\n") else { continue }
      usleep(UInt32(max(.zero, last + Self.pause - .now) / .microseconds(1)))
      read()
      last = .now
    }
  }

  private func read() {
    let request = "GET \(Self.path) HTTP/1.1\r\nHost: localhost\r\nX-Console: change\r\nConnection: close\r\n\r\n"
    guard let page = try? Self.connect(port, asking: request) else { return }
    while !Self.receive(page).isEmpty {}
    Glibc.close(page)
    readings.add(1, ordering: .relaxed)
  }

  private static func connect(_ port: UInt16, asking request: String) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try RawConnection.connect(descriptor, port: port)
    _ = send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL))
    return descriptor
  }

  /// The next bytes as text; empty at the end.
  private static func receive(_ descriptor: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
