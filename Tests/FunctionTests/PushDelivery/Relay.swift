import Foundation
import Glibc
import Synchronization
import TestSupport

/// Passes bytes between clients and a server, until it is told to swallow them.
///
/// A network that has forgotten a connection does the same.
final class Relay: Sendable {
  let port: UInt16
  private let state = Mutex(State())
  private let target: UInt16

  private struct State {
    var chunks = 0
    var connections: [Int32: Bool] = [:]
    var waiting: [(count: Int, resume: @Sendable () -> Void)] = []
  }

  /// How many pieces came from clients.
  var chunks: Int { state.withLock(\.chunks) }

  static func start(to target: UInt16) async throws -> Relay {
    let (listener, port) = try Sockets.listen()
    let relay = Relay(port, target)
    Thread.detachNewThread { [weak relay] in
      while true {
        let client = acceptConnection(listener)
        guard client >= 0, let relay else { return }
        relay.connect(client)
      }
    }
    return relay
  }

  private init(_ port: UInt16, _ target: UInt16) {
    (self.port, self.target) = (port, target)
  }

  /// From now on nothing passes on the open connections, in either direction.
  func swallowPresentConnections() {
    state.withLock { state in
      for client in state.connections.keys { state.connections[client] = true }
    }
  }

  func waitForChunks(_ count: Int) async throws {
    let isDone = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      let once = Mutex(false)
      let finish = { @Sendable (result: Bool) in
        if once.withLock({ done in
          defer { done = true }; return !done
        }) {
          continuation.resume(returning: result)
        }
      }
      state.withLock { state in
        if state.chunks >= count { finish(true) } else { state.waiting.append((count, { finish(true) })) }
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 20) { finish(false) }
    }
    guard isDone else { throw SystemError("chunks") }
  }

  private func connect(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard (try? RawConnection.connect(server, port: target)) != nil else { return }
    state.withLock { $0.connections[client] = false }
    Thread.detachNewThread { self.copy(client, server, connection: client, isFromClient: true) }
    Thread.detachNewThread { self.copy(server, client, connection: client, isFromClient: false) }
  }

  private func copy(_ source: Int32, _ sink: Int32, connection: Int32, isFromClient: Bool) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      if state.withLock({ $0.connections[connection] == true }) { continue }
      if isFromClient { note() }
      guard send(sink, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
    }
    shutdown(sink, Int32(SHUT_WR))
  }

  private func note() {
    let due = state.withLock { state in
      state.chunks += 1
      let due = state.waiting.filter { $0.count <= state.chunks }
      state.waiting.removeAll { $0.count <= state.chunks }
      return due
    }
    due.forEach { $0.resume() }
  }
}
