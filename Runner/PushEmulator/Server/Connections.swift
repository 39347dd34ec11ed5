import Emulation
import FoundationEssentials
import HTTP2

/// The connections that are open, and the latest of those that were; belongs to the emulator's loop.
struct Connections {
  private(set) var total = 0
  private var open: [Key: Connection] = [:]
  private var closed: [Connection] = []
  /// Refused streams of connections that are no longer listed.
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

  /// The connection by which a request came.
  subscript(info: HTTP2ConnectionInfo, face: Face) -> Connection? { open[Key(face: face, id: info.id)] }

  /// Gives the connection that has ended.
  mutating func remove(_ info: HTTP2ConnectionInfo, _ face: Face, at now: Date) -> Connection? {
    guard let connection = open.removeValue(forKey: Key(face: face, id: info.id)) else { return nil }
    (connection.closedAt, connection.responder) = (now, nil)
    closed.append(connection)
    if closed.count > Self.closedCapacity { refusedBefore += closed.removeFirst().refusedStreams }
    return connection
  }

  var openCount: Int { open.count }

  /// Those that are open, oldest first.
  var opened: [Connection] { open.values.sorted { $0.number < $1.number } }

  /// All that are known, oldest first.
  var all: [Connection] { (closed + open.values).sorted { $0.number < $1.number } }
}
