import FoundationEssentials
import FunctionKit
import HTTP2

/// A connection to one of the listeners; belongs to the emulator's loop.
final class Connection {
  /// Unique among the connections of all listeners, from 1.
  let number: Int
  let face: Face
  let peer: String
  let openedAt: Date
  var closedAt: Date?
  /// Whether it may have all streams of the settings.
  var isOpenToAll = false
  /// The provider token of its first push.
  var firstToken: ProviderToken?
  /// The provider token that came last, and the version of the keys then.
  var lastToken: (authorization: String, token: ProviderToken, generation: Int)?
  var requests = 0
  var pushes = 0
  /// How many streams were refused, as known at its end.
  var refusedStreams = 0
  /// The last stream that is still processed, after a GOAWAY.
  var lastStream = Int32.max
  var newestStream: Int32 = 0
  /// The responder that announces something to the whole connection.
  var responder: HTTP2Responder?

  init(number: Int, face: Face, peer: String, openedAt: Date) {
    (self.number, self.face, self.peer, self.openedAt) = (number, face, peer, openedAt)
  }

  var isOpen: Bool { closedAt == nil }

  /// Whether a request that still waits for its answer will get one.
  func isServing(_ stream: Int32) -> Bool { isOpen && stream <= lastStream }

  /// Announces the connection's end.
  ///
  /// - Parameters:
  ///   - code: one of RFC 9113 §7.
  ///   - data: the debug data of the frame.
  ///   - skipped: how many of the newest streams are not processed; 0 is an orderly end.
  ///   - newest: the stream from which skipped ones are counted. A client's streams have every second number.
  func goAway(code: UInt32, _ data: [UInt8], skipping skipped: Int, after newest: Int32) {
    let last = skipped == 0 ? nil : max(0, newest - 2 * Int32(skipped))
    lastStream = min(lastStream, last ?? newestStream)
    responder?.goAway(lastStreamID: last, code: code, debugData: data)
  }

  /// The connection for `GET /connections`.
  func json(_ statistics: HTTP2ConnectionStatistics?) -> RawJSON {
    RawJSON(object: [
      ("connection", RawJSON(number)), ("face", RawJSON(face.rawValue)), ("peer", RawJSON(peer)),
      ("openedAt", RawJSON(RFC3339.string(openedAt))), ("open", RawJSON(isOpen)),
      ("team", firstToken.map { RawJSON($0.teamID) } ?? RawJSON(trusting: Array("null".utf8))),
      ("requests", RawJSON(requests)), ("pushes", RawJSON(pushes)), ("streams", RawJSON(statistics?.openStreams ?? 0)),
      ("refusedStreams", RawJSON(statistics?.refusedStreams ?? refusedStreams)),
    ])
  }
}
