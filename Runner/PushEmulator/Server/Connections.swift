import FoundationEssentials
import HTTP2

/// The open connections, and the latest closed ones; belongs to the emulator's loop.
struct Connections {
  private(set) var total = 0
  private var open: [Key: Connection] = [:]
  private var closed: [Connection] = []
  /// The refused streams of connections that are no longer listed.
  private(set) var refusedBefore = 0

  private static let closedCapacity = 1_000

  private struct Key: Hashable {
    let face: Face
    let id: UInt64
  }

  mutating func add(_ info: HTTP2ConnectionInfo, _ face: Face, at now: Date) {
    total += 1
    open[Key(face: face, id: info.id)] = Connection(
      number: total, face: face, peer: info.peer.description, openedAt: now)
  }

  /// The connection of a request.
  subscript(info: HTTP2ConnectionInfo, face: Face) -> Connection? { open[Key(face: face, id: info.id)] }

  /// Returns the connection that has ended.
  mutating func remove(_ info: HTTP2ConnectionInfo, _ face: Face, at now: Date) -> Connection? {
    guard let connection = open.removeValue(forKey: Key(face: face, id: info.id)) else { return nil }
    (connection.closedAt, connection.responder) = (now, nil)
    closed.append(connection)
    if closed.count > Self.closedCapacity { refusedBefore += closed.removeFirst().refusedStreams }
    return connection
  }

  var openCount: Int { open.count }

  /// The open connections, oldest first.
  var opened: [Connection] { open.values.sorted { $0.number < $1.number } }

  /// All known connections, oldest first.
  var all: [Connection] { (closed + open.values).sorted { $0.number < $1.number } }
}
