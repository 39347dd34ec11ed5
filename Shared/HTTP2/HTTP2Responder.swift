/// The answering side of one request: answer now, later, wrongly, or never.
///
/// Any thread may use it. On the server's loop it works at once. A call after the end of the stream or the connection
/// does nothing. If there is never a response, the stream stays open until the client resets it.
package struct HTTP2Responder: Sendable {
  package let connection: HTTP2ConnectionInfo
  /// The request's stream.
  package let streamID: Int32
  let server: HTTP2Server

  /// Sends the response; only the first one counts.
  package func respond(_ response: HTTP2Response) {
    perform { [streamID] in $0.respond(response, on: streamID) }
  }

  /// Resets the stream with an error code of RFC 9113 §7.
  package func reset(code: UInt32) {
    perform { [streamID] in $0.reset(streamID, code: code) }
  }

  /// Announces the end of the connection.
  ///
  /// Streams up to `lastStreamID` (nil: all received so far) can still be answered; then the connection closes. Streams
  /// above it are dropped, and their requests never reach the handler. So the client knows that they were not
  /// processed.
  package func goAway(lastStreamID: Int32? = nil, code: UInt32 = 0, debugData: [UInt8] = []) {
    perform { $0.goAway(lastStreamID: lastStreamID, code: code, debugData: debugData) }
  }

  /// Closes the connection at once, by a TCP reset.
  package func dropConnection() {
    perform { $0.drop() }
  }

  /// Changes how many streams this connection may have open at once.
  package func setMaxConcurrentStreams(_ count: UInt32) {
    perform { $0.setMaxConcurrentStreams(count) }
  }

  private func perform(_ body: @escaping @Sendable (ServerConnection) -> Void) {
    server.onLoop { [id = connection.id] server in
      if let connection = server.connection(id) { body(connection) }
    }
  }
}
