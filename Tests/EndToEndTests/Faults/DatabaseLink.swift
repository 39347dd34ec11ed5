import Foundation
import Synchronization
import TestSupport

/// A network between clients and a PostgreSQL server: a port of the loopback that passes everything on to the server's
/// unix socket, and that can fail as networks do.
final class DatabaseLink: Sendable {
  private struct State {
    var connections: [LinkedConnection] = []
    var answers = 0
    var lost = 0
    var losesEach: Int?
  }

  private let listener: Int32
  private let port: UInt16
  private let url: String
  private let state = Mutex(State())

  /// - Parameter url: of the server, with the socket's directory as its `host`.
  init(to url: String) throws {
    self.url = url
    let socketPath = "\(url.split(separator: "host=")[1].split(separator: "&")[0])/.s.PGSQL.5432"
    (listener, port) = try Sockets.listen()
    Thread.detachNewThread { [weak self, listener] in
      while let client = Sockets.accept(listener) {
        guard let self, let server = Sockets.connect(to: socketPath) else {
          close(client)
          continue
        }
        LinkedConnection(client: client, server: server, loses: { [weak self] in self?.losesNext() ?? false })
          .start { connection in self.state.withLock { $0.connections.append(connection) } }
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
  var linkedURL: String {
    let name = url.dropFirst("postgresql:///".count).prefix { $0 != "?" }
    return "postgresql://postgres@127.0.0.1:\(port)/\(name)?sslmode=disable&gssencmode=disable"
  }

  /// How many answers were lost.
  var lost: Int { state.withLock { $0.lost } }

  /// From now on each so-many-th answer that ends a transaction is not delivered, and its connection is cut: the
  /// server has committed, and the client never hears of it.
  func loseAnswers(each count: Int?) {
    state.withLock { ($0.losesEach, $0.answers) = (count, 0) }
  }

  /// Cuts all connections.
  func cut() {
    state.withLock { $0.connections }.forEach { $0.cut() }
  }

  /// From now on the present connections carry nothing any more, and neither side is told.
  func fallSilent() {
    state.withLock { $0.connections }.forEach { $0.fallSilent() }
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
  private let isSilent = Atomic(false)

  init(client: Int32, server: Int32, loses: @escaping @Sendable () -> Bool) {
    (self.client, self.server, self.loses) = (client, server, loses)
  }

  deinit {
    close(client)
    close(server)
  }

  func start(_ register: (LinkedConnection) -> Void) {
    register(self)
    Thread.detachNewThread { [self] in carry(from: client, to: server) { _ in false } }
    Thread.detachNewThread { [self] in
      var answers = AnswerReader()
      carry(from: server, to: client) { answers.endsTransaction($0) && loses() }
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
    // A silent link tells nobody that the other side has gone.
    if !isSilent.load(ordering: .relaxed) { cut() }
  }
}

/// Finds the ends of transactions in what a server sends.
struct AnswerReader {
  private var header: [UInt8] = []
  private var left = 0
  private var type: UInt8 = 0

  /// Whether the bytes end with the message `ReadyForQuery` outside of a transaction.
  mutating func endsTransaction(_ bytes: ArraySlice<UInt8>) -> Bool {
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
