/// Ordinary HTTP and HTTPS calls over libcurl, limited in time and size.
///
/// A call uses HTTP/2 if the server offers it by ALPN. Connections are kept between calls. A redirect is an answer and
/// is not followed. Certificate and host name are always verified.
package final class HTTPClient: Sendable {
  private let loop: TransferLoop
  private let trust: HTTPTrust
  private let proxy: HTTPProxy
  private let limits: HTTPLimits

  /// A client with its own connections, which end with it.
  package init(
    trust: HTTPTrust = .system, proxy: HTTPProxy = .environment, limits: HTTPLimits = HTTPLimits()
  ) {
    loop = TransferLoop()
    (self.trust, self.proxy, self.limits) = (trust, proxy, limits)
  }

  deinit {
    loop.stop()
  }

  /// Sends a call and waits for its whole answer.
  ///
  /// A cancelled task ends the call at once.
  package func send(_ call: HTTPCall) async throws(HTTPClientError) -> HTTPAnswer {
    var limits = limits
    limits.total = call.timeout ?? limits.total
    let order = TransferOrder(call: call, trust: trust, proxy: proxy, limits: limits)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        loop.submit(order) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      loop.cancel(order)
    }
    return try result.get()
  }
}
