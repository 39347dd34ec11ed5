import EventLoop
import Glibc
import Platform
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
    let isStarted = BackgroundThread.start { [self] in
      finish(Self.resolve(endpoint))
      completion()
    }
    if !isStarted { finish(.failure(.unresolved(host: endpoint.host, reason: systemMessage(errno)))) }
  }
}
