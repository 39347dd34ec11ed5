import EventLoop

/// Ordinary HTTP and HTTPS calls over libcurl, limited in time and size.
///
/// A call uses HTTP/2 if the server offers it by ALPN. Connections are kept between calls. A redirect is an answer and
/// is not followed. Certificate and host name are always verified.
package final class HTTPClient: Sendable {
  private let calls = LoopedCalls()
  private let trust: HTTPTrust
  private let proxy: HTTPProxy
  private let limits: HTTPLimits

  /// A client with a thread and connections of its own, which end with it.
  package init(
    trust: HTTPTrust = .system, proxy: HTTPProxy = .environment, limits: HTTPLimits = HTTPLimits()
  ) {
    (self.trust, self.proxy, self.limits) = (trust, proxy, limits)
  }

  deinit {
    calls.end()
  }

  /// Sends a call and waits for its whole answer.
  ///
  /// A cancelled task ends the call at once.
  package func send(_ call: HTTPCall) async throws(HTTPClientError) -> HTTPAnswer {
    var limits = limits
    limits.total = call.timeout ?? limits.total
    return try await calls.send(TransferOrder(call: call, trust: trust, proxy: proxy, limits: limits)).get()
  }
}

/// The calls of one client, on an event loop of its own.
private actor LoopedCalls {
  private nonisolated let loop = EventLoop(name: "http")
  /// It has none before the first call.
  private var client: LoopHTTPClient?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  func send(_ order: TransferOrder) async -> Result<HTTPAnswer, HTTPClientError> {
    await withTaskCancellationHandler {
      await answer(to: order)
    } onCancel: { [loop] in
      order.cancel()
      loop.execute { self.assumeIsolated { $0.client?.cancel(order) } }
    }
  }

  // A method: a closure that does not use the actor itself would not run on its loop.
  private func answer(to order: TransferOrder) async -> Result<HTTPAnswer, HTTPClientError> {
    let client = client ?? LoopHTTPClient(on: loop, connections: 64, memory: .max)
    self.client = client
    return await withCheckedContinuation { continuation in
      client.send(order) { continuation.resume(returning: $0) }
    }
  }

  nonisolated func end() {
    loop.execute { self.assumeIsolated { $0.client?.close() } }
    loop.stop()
  }
}
