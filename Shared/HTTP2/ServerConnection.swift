import CNGHTTP2
import EventLoop

/// A server's connection; used on its loop only.
final class ServerConnection {
  let info: HTTP2ConnectionInfo
  private let loop: EventLoop
  private let session: Session
  private let link: Link
  private let answerToLargeBodies: HTTP2Response
  private let onRequest: (HTTP2Request, ServerConnection, Int32) -> Void
  private var onClose: ((ServerConnection) -> Void)?
  /// Runs until the client has begun to speak HTTP/2.
  private var handshakeTimer: TimerID?

  /// The last stream that is still processed, after the client was told so.
  private var lastStreamID = Int32.max

  init(
    _ info: HTTP2ConnectionInfo, transport: TLSTransport, settings: HTTP2ServerSettings, loop: EventLoop,
    onRequest: @escaping (HTTP2Request, ServerConnection, Int32) -> Void,
    onClose: @escaping (ServerConnection) -> Void
  ) {
    self.info = info
    self.loop = loop
    self.onRequest = onRequest
    answerToLargeBodies = settings.answerToLargeBodies
    self.onClose = onClose
    session = Session(
      role: .server,
      limits: .init(
        headerBytes: settings.maxHeaderListBytes, bodyBytes: settings.maxBodyBytes,
        bodyBytesOfPaths: settings.maxBodyBytesOfPaths),
      settings: [
        (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.maxConcurrentStreams),
        (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(clamping: settings.maxHeaderListBytes)),
      ],
      window: 16_777_216)
    link = Link(session: session, transport: transport)
    session.delegate = self
  }

  /// Since when nothing has come from the client; `nil` if it has begun to speak HTTP/2.
  var silentSince: ContinuousClock.Instant? { handshakeTimer == nil ? nil : link.lastReceived }

  var statistics: HTTP2ConnectionStatistics {
    HTTP2ConnectionStatistics(openStreams: session.openStreams, refusedStreams: session.refusedStreams)
  }

  func start(handshakeTimeout: Duration) {
    handshakeTimer = loop.schedule(after: handshakeTimeout) { [self] in drop() }
    link.start(self)
  }

  func respond(_ response: HTTP2Response, on stream: Int32) {
    session.submit(response, on: stream)
    link.setNeedsFlush()
  }

  func reset(_ stream: Int32, code: UInt32) {
    session.reset(stream, code: code)
    link.setNeedsFlush()
  }

  func goAway(lastStreamID: Int32? = nil, code: UInt32 = 0, debugData: [UInt8] = []) {
    // The frame leaves at the end of the turn. Requests that still come in this turn must not be processed either.
    self.lastStreamID = min(self.lastStreamID, lastStreamID ?? session.lastReceivedStreamID)
    session.submitGoAway(lastStreamID: self.lastStreamID, code: code, debugData: debugData)
    link.setNeedsFlush()
  }

  func setMaxConcurrentStreams(_ count: UInt32) {
    session.submitMaxConcurrentStreams(count)
    link.setNeedsFlush()
  }

  /// Closes at once, by a TCP reset.
  func drop() {
    link.close(reset: true)
    closed()
  }

  private func closed() {
    handshakeTimer.take().map(loop.cancel)
    onClose.take()?(self)
  }
}

extension ServerConnection: LinkDelegate {
  func linkEstablished() {}

  func linkClosed(_ error: HTTP2Error?) {
    closed()
  }
}

extension ServerConnection: SessionDelegate {
  func sessionReceivedMessage(on stream: HTTP2Stream) {
    guard stream.id <= lastStreamID else { return }
    let request = HTTP2Request(
      method: stream.method, path: stream.path, authority: stream.authority, headers: stream.headers, body: stream.body)
    onRequest(request, self, stream.id)
  }

  func sessionReceivedTooMuch(on stream: HTTP2Stream) {
    session.submit(stream.excess == .body ? answerToLargeBodies : HTTP2Response(status: 431), on: stream.id)
  }

  func sessionClosed(_ stream: HTTP2Stream, code: UInt32) {}
  func sessionReceivedSettings() { handshakeTimer.take().map(loop.cancel) }
  func sessionReceivedGoAway(_ goAway: HTTP2GoAway) {}
  func sessionReceivedPong(_ payload: UInt64) {}
}
