/// Ordinary HTTP and HTTPS calls over libcurl, limited in time and size.
///
/// HTTP/2 is used where the server offers it by ALPN, connections are kept between calls, proxies come from the
/// environment (`https_proxy`, `no_proxy`, …). Redirects are answers, not followed. Certificate and host name are
/// always verified.
public final class HTTPClient: Sendable {
  private let loop: TransferLoop
  private let trust: HTTPTrust
  private let limits: HTTPLimits

  /// A client with connections of its own; they end with it.
  public init(trust: HTTPTrust = .system, limits: HTTPLimits = HTTPLimits()) {
    loop = TransferLoop()
    self.trust = trust
    self.limits = limits
  }

  deinit {
    loop.stop()
  }

  /// Sends a call and waits for its whole answer; cancelling the task ends it at once.
  public func send(_ call: HTTPCall) async throws(HTTPClientError) -> HTTPAnswer {
    var limits = limits
    limits.total = call.timeout ?? limits.total
    let order = TransferOrder(call: call, trust: trust, limits: limits)
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
