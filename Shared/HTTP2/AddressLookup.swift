import EventLoop
import Glibc
import Synchronization

/// Asks the system's resolver on its own thread, because the resolver blocks, and waits only for a limited time.
///
/// Nothing is cached, because APNs asks for a fresh lookup before each connection.
final class AddressLookup: Sendable {
  typealias Answer = Result<[SocketAddress], HTTP2Error>

  private let endpoint: Endpoint
  private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

  private init(_ endpoint: Endpoint, _ continuation: CheckedContinuation<Answer, Never>) {
    self.endpoint = endpoint
    self.continuation = Mutex(continuation)
  }

  /// The addresses of the endpoint; called on the loop.
  static func addresses(of endpoint: Endpoint, within limit: Duration, on loop: EventLoop) async -> Answer {
    guard !endpoint.isNumeric else { return resolve(endpoint) }
    return await withCheckedContinuation { continuation in
      let lookup = AddressLookup(endpoint, continuation)
      let timer = loop.schedule(after: limit) { lookup.finish(.failure(.timedOut(.resolving))) }
      lookup.startThread { loop.execute { loop.cancel(timer) } }
    }
  }

  private static func resolve(_ endpoint: Endpoint) -> Answer {
    Result { () throws(HTTP2Error) in try SocketAddress.resolve(endpoint) }
  }

  /// The first answer counts: the resolver's or the timer's.
  private func finish(_ answer: Answer) {
    continuation.withLock { $0.take() }?.resume(returning: answer)
  }

  private func startThread(_ completion: @escaping @Sendable () -> Void) {
    let call = Call { [self] in
      finish(Self.resolve(endpoint))
      completion()
    }
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Call>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(call).toOpaque())
    guard result == 0 else {
      Unmanaged.passUnretained(call).release()
      return finish(.failure(.unresolved(host: endpoint.host, reason: systemMessage(result))))
    }
    pthread_detach(thread)
  }
}

private final class Call: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}
