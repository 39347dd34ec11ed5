import EventLoop
import Glibc
import Platform

/// Connects to the first of several addresses that answers; used on its loop only.
///
/// It tries the next address when one has failed or has been silent for 250 ms (RFC 8305 §5). The earlier tries go on.
final class Dialer {
  private static let headStart = Duration.milliseconds(250)

  private let loop: EventLoop
  private var addresses: ArraySlice<SocketAddress>
  private var attempts: [Int32] = []
  private var timers: [TimerID] = []
  private var lastError: HTTP2Error = .unreachable(reason: "no address")
  private var completion: ((Result<Int32, HTTP2Error>) -> Void)?

  init(_ addresses: [SocketAddress], loop: EventLoop) {
    self.loop = loop
    self.addresses = addresses[...]
  }

  /// Returns a connected socket, which the caller then owns.
  func start(within limit: Duration, _ completion: @escaping (Result<Int32, HTTP2Error>) -> Void) {
    self.completion = completion
    timers.append(loop.schedule(after: limit) { [self] in finish(.failure(.timedOut(.connecting))) })
    tryNext()
  }

  private func tryNext() {
    while let address = addresses.popFirst() {
      guard let socket = Socket(family: address.family) else {
        lastError = .unreachable(reason: "\(address.endpoint): \(systemMessage(errno))")
        continue
      }
      let error = socket.startConnecting(to: address)
      guard error == 0 else {
        lastError = .unreachable(reason: "\(address.endpoint): \(systemMessage(error))")
        continue
      }
      return awaitAnswer(of: socket.release(), address)
    }
    if attempts.isEmpty { finish(.failure(lastError)) }
  }

  private func awaitAnswer(of descriptor: Int32, _ address: SocketAddress) {
    attempts.append(descriptor)
    loop.watch(descriptor, for: .write) { [self] _ in answered(descriptor, address) }
    if !addresses.isEmpty { timers.append(loop.schedule(after: Self.headStart) { [self] in tryNext() }) }
  }

  private func answered(_ descriptor: Int32, _ address: SocketAddress) {
    attempts.removeAll { $0 == descriptor }
    loop.unwatch(descriptor)
    let socket = Socket(adopting: descriptor)
    let error = socket.pendingError
    guard error != 0 else { return finish(.success(socket.release())) }
    lastError = .unreachable(reason: "\(address.endpoint): \(systemMessage(error))")
    tryNext()
  }

  private func finish(_ result: Result<Int32, HTTP2Error>) {
    for timer in timers { loop.cancel(timer) }
    for descriptor in attempts {
      loop.unwatch(descriptor)
      close(descriptor)
    }
    timers = []
    attempts = []
    addresses = []
    completion.take()?(result)
  }
}
