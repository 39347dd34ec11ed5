import Foundation
import Synchronization
import TestSupport

/// A pooler in transaction mode: each transaction of a client runs on the session that has rested longest, of a few.
final class TransactionPooler: Sendable {
  private let listener: Int32
  private let port: UInt16
  private let database: String
  private let sessions: Sessions

  /// - Parameter url: of the server, with the socket's directory as its `host`.
  init(to url: String, sessions count: Int = 2) throws {
    let socketPath = "\(url.split(separator: "host=")[1].split(separator: "&")[0])/.s.PGSQL.5432"
    database = String(url.dropFirst("postgresql:///".count).prefix { $0 != "?" })
    sessions = try Sessions(count, path: socketPath, database: database)
    (listener, port) = try Sockets.listen()
    Thread.detachNewThread { [listener, sessions] in
      while let client = Sockets.accept(listener) {
        Thread.detachNewThread {
          PooledClient(client, sessions).serve()
          close(client)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// The URL by which the database is reached through it.
  var pooledURL: String {
    "postgresql://postgres@127.0.0.1:\(port)/\(database)?sslmode=disable&gssencmode=disable"
  }
}

/// The server's sessions; a client has one of them for the length of a transaction.
private final class Sessions: Sendable {
  /// The server's words to a new client.
  let greeting: [UInt8]
  private let free: Mutex<[Int32]>

  init(_ count: Int, path: String, database: String) throws {
    var text: [UInt8] = [0, 3, 0, 0]
    for word in ["user", "postgres", "database", database] { text += Array(word.utf8) + [0] }
    text.append(0)
    let length = UInt32(text.count + 4)
    let hello = [UInt8](withUnsafeBytes(of: length.bigEndian) { Array($0) }) + text
    var sockets: [Int32] = []
    var greeting: [UInt8] = []
    for _ in 0..<count {
      guard let session = Sockets.connect(to: path), Sockets.send(hello[...], to: session) else {
        throw SystemError("connect")
      }
      var answers = AnswerReader()
      greeting = []
      while let bytes = Sockets.receive(session) {
        greeting += bytes
        if answers.endsTransaction(bytes[...]) { break }
      }
      sockets.append(session)
    }
    self.greeting = greeting
    free = Mutex(sockets)
  }

  deinit { free.withLock { $0 }.forEach { close($0) } }

  func take() -> Int32 {
    while true {
      if let session = free.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return session }
      usleep(1_000)
    }
  }

  func giveBack(_ session: Int32) { free.withLock { $0.append(session) } }
}

/// One client of the pooler.
private struct PooledClient {
  private let client: Int32
  private let sessions: Sessions

  init(_ client: Int32, _ sessions: Sessions) {
    (self.client, self.sessions) = (client, sessions)
  }

  func serve() {
    guard Sockets.receive(client) != nil, Sockets.send(sessions.greeting[...], to: client) else { return }
    while let request = Sockets.receive(client), request.first != UInt8(ascii: "X") {
      let session = sessions.take()
      defer { sessions.giveBack(session) }
      guard Sockets.send(request[...], to: session), carryTransaction(on: session) else { return }
    }
  }

  /// Passes on in both directions until the transaction is over; `false` when the client has gone.
  private func carryTransaction(on session: Int32) -> Bool {
    var answers = AnswerReader()
    while true {
      var both = [client, session].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&both, 2, -1) > 0 else { continue }
      if both[1].revents != 0 {
        guard let bytes = Sockets.receive(session) else { return false }
        let isOver = answers.endsTransaction(bytes[...])
        guard Sockets.send(bytes[...], to: client) else { return false }
        if isOver { return true }
      }
      if both[0].revents != 0 {
        guard let bytes = Sockets.receive(client), Sockets.send(bytes[...], to: session) else { return false }
      }
    }
  }
}
