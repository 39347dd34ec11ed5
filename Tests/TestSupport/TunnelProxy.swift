import Foundation
import Synchronization

/// A proxy for any number of clients: it takes a head, answers as it is told to, and then carries bytes to a server.
package final class TunnelProxy: Sendable {
  /// The way that things go after the answer.
  package enum Way: Sendable {
    /// Bytes go to a port of this machine, no matter what the client asked for.
    case server(port: UInt16)
    /// The connection ends.
    case end
    /// Nothing comes.
    case silence
  }

  /// The proxy is on the loopback.
  package let port: UInt16
  private let listener: Int32
  private let seen = Heads()

  private final class Heads: Sendable {
    let list = Mutex<[String]>([])
  }

  /// The answer of a proxy that makes the tunnel.
  package static let established = ["HTTP/1.1 200 Connection established\r\n\r\n"]

  /// - Parameter answer: what it says to each `CONNECT`, piece by piece; a pause is made after each.
  package init(answer: [String] = established, to way: Way) throws {
    let (listener, port) = try Sockets.listen()
    (self.listener, self.port) = (listener, port)
    let seen = seen
    Thread.detachNewThread {
      while let client = Sockets.accept(listener) {
        Thread.detachNewThread { Self.serve(client, answer, way, seen) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// The heads of the requests so far, in the order of arrival.
  package var heads: [String] { seen.list.withLock(\.self) }

  /// The targets that the clients asked for, such as `push.example:443`.
  package var targets: [String] { heads.map { $0.split(separator: " ").dropFirst().first.map(String.init) ?? "" } }

  private static func serve(_ client: Int32, _ answer: [String], _ way: Way, _ seen: Heads) {
    var head = ""
    var byte: UInt8 = 0
    while !head.hasSuffix("\r\n\r\n"), recv(client, &byte, 1, 0) == 1 {
      head += String(decoding: [byte], as: UTF8.self)
    }
    seen.list.withLock { $0.append(head) }
    for piece in answer {
      _ = Sockets.send(Array(piece.utf8)[...], to: client)
      if answer.count > 1 { usleep(1_000) }
    }
    if case .server(let port) = way { carry(client, port) }
    if case .silence = way {} else { shutdown(client, Int32(SHUT_WR)) }
    // It waits until the client closes too, so that the answer is not lost to a reset.
    while Sockets.receive(client) != nil {}
    close(client)
  }

  private static func carry(_ client: Int32, _ port: UInt16) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(server) }
    guard (try? RawConnection.connect(server, port: port)) != nil else { return }
    let back = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      copy(from: server, to: client)
      back.signal()
    }
    copy(from: client, to: server)
    back.wait()
  }

  private static func copy(from source: Int32, to target: Int32) {
    while let bytes = Sockets.receive(source), Sockets.send(bytes[...], to: target) {}
    shutdown(target, Int32(SHUT_WR))
  }
}
