package import FoundationEssentials
package import FunctionKit
package import HTTP2

/// A connection to one of the listeners; belongs to the emulator's loop.
package final class Connection {
  /// Unique among the connections of all listeners, from 1.
  package let number: Int
  package let face: Face
  package let peer: String
  package let openedAt: Date
  package var closedAt: Date?
  /// Whether it may have all streams of the settings.
  package var isOpenToAll = false
  /// The provider token of its first push.
  package var firstToken: ProviderToken?
  /// The provider token that came last, and the version of the keys then.
  package var lastToken: (authorization: String, token: ProviderToken, generation: Int)?
  package var requests = 0
  package var pushes = 0
  /// How many streams were refused, as known at its end.
  package var refusedStreams = 0
  /// The last stream that is still processed, after a GOAWAY.
  package var lastStream = Int32.max
  package var newestStream: Int32 = 0
  /// The responder that announces something to the whole connection.
  package var responder: HTTP2Responder?

  package init(number: Int, face: Face, peer: String, openedAt: Date) {
    (self.number, self.face, self.peer, self.openedAt) = (number, face, peer, openedAt)
  }

  var isOpen: Bool { closedAt == nil }

  /// Whether a request that still waits for its answer will get one.
  package func isServing(_ stream: Int32) -> Bool { isOpen && stream <= lastStream }

  /// The connection for `GET /connections`.
  package func json(_ statistics: HTTP2ConnectionStatistics?) -> RawJSON {
    RawJSON(object: [
      ("connection", RawJSON(number)), ("face", RawJSON(face.rawValue)), ("peer", RawJSON(peer)),
      ("openedAt", RawJSON(RFC3339.string(openedAt))), ("open", RawJSON(isOpen)),
      ("team", firstToken.map { RawJSON($0.teamID) } ?? RawJSON(trusting: Array("null".utf8))),
      ("requests", RawJSON(requests)), ("pushes", RawJSON(pushes)), ("streams", RawJSON(statistics?.openStreams ?? 0)),
      ("refusedStreams", RawJSON(statistics?.refusedStreams ?? refusedStreams)),
    ])
  }
}
