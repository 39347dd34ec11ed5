import Foundation
import Glibc
import TestSupport

@testable import HTTP2

/// A proxy for one client: it takes a head, answers as it is told to, and then carries bytes to a server.
final class TunnelProxy: Sendable {
  let endpoint: Endpoint
  /// The heads of the requests.
  let heads = Mailbox<String>()
  private let listener: Int32

  /// - Parameters:
  ///   - answer: what it says to each `CONNECT`, piece by piece; a pause is made after each.
  ///   - server: where the tunnel goes, no matter what the client asked for; nil to close after the answer.
  init(answer: [String] = ["HTTP/1.1 200 Connection established\r\n\r\n"], server: Endpoint?) throws {
    let descriptor = try Socket.listening(on: Endpoint(host: "127.0.0.1", port: 0)).release()
    listener = descriptor
    endpoint = SocketAddress { getsockname(descriptor, $0, $1) }.endpoint
    _ = fcntl(descriptor, F_SETFL, 0)
    let heads = heads
    Thread.detachNewThread {
      let client = acceptConnection(descriptor)
      guard client >= 0 else { return }
      var head = ""
      while !head.hasSuffix("\r\n\r\n"), let byte = Self.read(client, atMost: 1) {
        head += String(decoding: byte, as: UTF8.self)
      }
      heads.put(head)
      for piece in answer {
        Self.write(client, Array(piece.utf8))
        if answer.count > 1 { usleep(1_000) }
      }
      if let server { Self.carry(client, server) }
      // It waits until the client closes too, so that the answer is not lost to a reset.
      shutdown(client, Int32(SHUT_WR))
      while Self.read(client, atMost: 4_096) != nil {}
      close(client)
    }
  }

  /// A proxy that takes a connection and says nothing.
  static func silent() throws -> TunnelProxy {
    try TunnelProxy(answer: [], server: Endpoint(host: "", port: 0))
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func carry(_ client: Int32, _ endpoint: Endpoint) {
    guard endpoint.port != 0 else {
      while read(client, atMost: 4_096) != nil {}
      return
    }
    guard let address = try? SocketAddress.resolve(endpoint).first else { return }
    let server = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(server) }
    guard address.withPointer({ connect(server, $0, $1) }) == 0 else { return }
    let back = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      copy(from: server, to: client)
      back.signal()
    }
    copy(from: client, to: server)
    back.wait()
  }

  private static func copy(from source: Int32, to target: Int32) {
    while let bytes = read(source, atMost: 65_536) { write(target, bytes) }
    shutdown(target, Int32(SHUT_WR))
  }

  private static func read(_ descriptor: Int32, atMost count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    let count = recv(descriptor, &buffer, count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  private static func write(_ descriptor: Int32, _ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
