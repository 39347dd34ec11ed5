/// The answering side of one request: answer now, later, wrongly, or never.
///
/// It may be used from any thread; on the server's loop the effect is immediate. A call after the end of the stream or
/// the connection has no effect. To keep silent is allowed: the stream then stays open until the client resets it.
public struct HTTP2Responder: Sendable {
  /// The connection by which the request came.
  public let connection: HTTP2ConnectionInfo
  /// The request's stream.
  public let streamID: Int32
  let server: HTTP2Server

  /// Sends the response; only the first one counts.
  public func respond(_ response: HTTP2Response) {
    perform { [streamID] in $0.respond(response, on: streamID) }
  }

  /// Resets the stream with an error code of RFC 9113 §7.
  public func reset(code: UInt32) {
    perform { [streamID] in $0.reset(streamID, code: code) }
  }

  /// Announces the end of the connection.
  ///
  /// Streams up to `lastStreamID` (nil: all received so far) can still be answered, then the connection closes. Those
  /// above it are given up, and no request above it reaches the handler any more: the client knows that they were not
  /// processed.
  public func goAway(lastStreamID: Int32? = nil, code: UInt32 = 0, debugData: [UInt8] = []) {
    perform { $0.goAway(lastStreamID: lastStreamID, code: code, debugData: debugData) }
  }

  /// Closes the connection at once, by a TCP reset.
  public func dropConnection() {
    perform { $0.drop() }
  }

  /// Changes how many streams this connection may have open at once.
  public func setMaxConcurrentStreams(_ count: UInt32) {
    perform { $0.setMaxConcurrentStreams(count) }
  }

  private func perform(_ body: @escaping @Sendable (ServerConnection) -> Void) {
    server.onLoop { [id = connection.id] server in
      if let connection = server.connection(id) { body(connection) }
    }
  }
}
