import Foundation
import Synchronization

/// A network between clients and a PostgreSQL server, which can fail as networks do.
///
/// It is a port of the loopback that passes everything on to the server's unix socket.
package final class DatabaseLink: Sendable {
  private struct State {
    var connections: [LinkedConnection] = []
    var answers = 0
    var lost = 0
    var losesEach: Int?
    var isFrozen = false
    var heldEnds: Int?
    var isStarting = false
  }

  private let listener: Int32
  private let port: UInt16
  private let url: String
  private let state = Mutex(State())

  /// Opens the port.
  ///
  /// - Parameter url: of the server, with the socket's directory as its `host`.
  package init(to url: String) throws {
    self.url = url
    let socketPath = "\(url.split(separator: "host=")[1].split(separator: "&")[0])/.s.PGSQL.5432"
    (listener, port) = try Sockets.listen()
    Thread.detachNewThread { [weak self, listener] in
      while let client = Sockets.accept(listener) {
        if let self, self.refuses(client) { continue }
        guard let self, let server = Sockets.connect(to: socketPath) else {
          close(client)
          continue
        }
        LinkedConnection(
          client: client, server: server, loses: { [weak self] in self?.losesNext() ?? false },
          holdsEnd: { [weak self] in self?.holdsEnd() ?? false }
        )
        .start { connection in
          let isFrozen = self.state.withLock { state in
            state.connections.append(connection)
            return state.isFrozen
          }
          if isFrozen { connection.fallSilent() }
        }
      }
    }
  }

  deinit {
    // Wakes the thread that accepts.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    cut()
  }

  /// The URL by which the database is reached over this link.
  package var linkedURL: String {
    let name = url.dropFirst("postgresql:///".count).prefix { $0 != "?" }
    return "postgresql://postgres@127.0.0.1:\(port)/\(name)?sslmode=disable&gssencmode=disable"
  }

  /// How many answers were lost.
  package var lost: Int { state.withLock { $0.lost } }

  /// From now on every n-th answer that ends a transaction is lost, and its connection is cut.
  ///
  /// The server has committed, and the client never hears of it.
  package func loseAnswers(each count: Int?) {
    state.withLock { ($0.losesEach, $0.answers) = (count, 0) }
  }

  /// From now on, or no longer, every client is answered as by a server that is starting or recovering.
  package func pretendToStart(_ isStarting: Bool) {
    state.withLock { $0.isStarting = isStarting }
  }

  private func refuses(_ client: Int32) -> Bool {
    guard state.withLock({ $0.isStarting }) else { return false }
    _ = Sockets.receive(client)
    let fields = "SFATAL\0VFATAL\0C57P03\0MDas Datenbanksystem startet\0\0"
    let length = withUnsafeBytes(of: UInt32(fields.utf8.count + 4).bigEndian) { Array($0) }
    _ = Sockets.send((Array("E".utf8) + length + Array(fields.utf8))[...], to: client)
    close(client)
    return true
  }

  /// Cuts all connections.
  package func cut() {
    state.withLock { $0.connections }.forEach { $0.cut() }
  }

  /// From now on the present connections carry nothing, and neither side is told.
  package func fallSilent() {
    state.withLock { $0.connections }.forEach { $0.fallSilent() }
  }

  /// From now on no connection carries anything; those that are opened until ``thaw()`` never will.
  package func freeze() {
    state.withLock { $0.isFrozen = true }
    fallSilent()
  }

  /// New connections carry everything again; connections that had fallen silent stay so, and are not closed.
  package func thaw() { state.withLock { $0.isFrozen = false } }

  /// From now on a client does not learn that the server has closed its connection.
  ///
  /// When a server ends a session, it says so and closes the connection a moment later. This makes the moment longer.
  package func holdEnds() { state.withLock { $0.heldEnds = 0 } }

  /// How many connections have ended since, after all that the server had said was passed on.
  package var heldEnds: Int { state.withLock { $0.heldEnds ?? 0 } }

  private func holdsEnd() -> Bool {
    state.withLock { state in
      state.heldEnds? += 1
      return state.heldEnds != nil
    }
  }

  private func losesNext() -> Bool {
    state.withLock { state in
      guard let each = state.losesEach else { return false }
      state.answers += 1
      guard state.answers % each == 0 else { return false }
      state.lost += 1
      return true
    }
  }
}

/// One client's connection over the link.
private final class LinkedConnection: Sendable {
  private let client: Int32
  private let server: Int32
  private let loses: @Sendable () -> Bool
  private let holdsEnd: @Sendable () -> Bool
  private let isSilent = Atomic(false)

  init(
    client: Int32, server: Int32, loses: @escaping @Sendable () -> Bool, holdsEnd: @escaping @Sendable () -> Bool
  ) {
    (self.client, self.server, self.loses, self.holdsEnd) = (client, server, loses, holdsEnd)
  }

  deinit {
    close(client)
    close(server)
  }

  func start(_ register: (LinkedConnection) -> Void) {
    register(self)
    Thread.detachNewThread { [self] in
      carry(from: client, to: server) { _ in false }
      hangUp()
    }
    Thread.detachNewThread { [self] in
      var answers = AnswerReader()
      carry(from: server, to: client) { answers.endsTransaction($0) && loses() }
      if !holdsEnd() { hangUp() }
    }
  }

  func cut() {
    shutdown(client, Int32(SHUT_RDWR))
    shutdown(server, Int32(SHUT_RDWR))
  }

  func fallSilent() { isSilent.store(true, ordering: .relaxed) }

  private func carry(from source: Int32, to target: Int32, cutsAt: (ArraySlice<UInt8>) -> Bool) {
    while let bytes = Sockets.receive(source), !cutsAt(bytes[...]) {
      if isSilent.load(ordering: .relaxed) { continue }
      guard Sockets.send(bytes[...], to: target) else { break }
    }
  }

  private func hangUp() {
    // A silent link tells nobody that the other side has gone.
    if !isSilent.load(ordering: .relaxed) { cut() }
  }
}

/// Finds the ends of transactions in what a server sends.
package struct AnswerReader {
  private var header: [UInt8] = []
  private var left = 0
  private var type: UInt8 = 0

  /// Begins with the first byte that a server sends after the greeting.
  package init() {}

  /// Whether the bytes end with the message `ReadyForQuery` outside of a transaction.
  package mutating func endsTransaction(_ bytes: ArraySlice<UInt8>) -> Bool {
    var position = bytes.startIndex
    while position < bytes.endIndex {
      if left > 0 {
        let step = min(left, bytes.endIndex - position)
        position += step
        left -= step
      } else {
        header.append(bytes[position])
        position += 1
        if header.count == 5 {
          type = header[0]
          left = header[1...].reduce(0) { $0 << 8 | Int($1) } - 4
          header = []
        }
      }
    }
    return left == 0 && header.isEmpty && type == UInt8(ascii: "Z") && bytes.last == UInt8(ascii: "I")
  }
}
