import CLinux
import Glibc

/// A small HTTP/1.1 server: one thread that waits with poll(2), for a program with few connections.
///
/// It reads heads and bodies as strictly as the runner's gateway, by the same code.
package final class HTTP1Server {
  let service: any HTTP1Service
  let limits: HTTP1Limits
  let replies = HTTP1Replies()
  private let listener: HTTP1Listener
  private let termination: Int32
  private var connections: [Int: ServedConnection] = [:]
  private var accepted = 0
  private var dates = HTTPDate()
  private var freed = FreedMemory()
  /// Whether it answers what has begun, and takes nothing new.
  private(set) var isDraining = false
  private var wasLate = false
  /// While the system gives it no connection, it waits until then.
  private var pausedUntil = ContinuousClock.now

  /// - Parameter termination: a descriptor; when it becomes readable, the server drains.
  package init(
    _ listener: HTTP1Listener, _ service: any HTTP1Service, limits: HTTP1Limits = HTTP1Limits(), termination: Int32
  ) {
    (self.listener, self.service, self.limits, self.termination) = (listener, service, limits, termination)
  }

  /// Serves until it has drained: then every request that had come whole is answered.
  ///
  /// - Returns: `false` if a request was not answered in time, after which it drains, too.
  @discardableResult
  package func run() -> Bool {
    while !isDraining || connections.values.contains(where: \.isWanted) { turn() }
    for connection in connections.values { connection.close() }
    connections = [:]
    return !wasLate
  }

  /// Whether there is memory for this number of further bytes.
  func hasRoom(for count: Int) -> Bool {
    count <= limits.bodies - connections.values.reduce(0) { $0 + $1.memory }
  }

  /// Ends connections whose clients have read their answers for longest, while all answers use too much memory.
  func makeRoom(besides newest: ServedConnection) {
    while connections.values.reduce(0, { $0 + $1.unread }) > limits.bodies,
      let slowest = connections.values.filter({ $0.unread > 0 && $0 !== newest })
        .min(by: { $0.deadline < $1.deadline })
    {
      slowest.close()
    }
  }

  func date() -> String { dates.now() }

  /// Waits once, and does what there is to do.
  private func turn() {
    let all = Array(connections.values)
    let listens = !isDraining && .now >= pausedUntil
    var entries = [
      pollfd(fd: isDraining ? -1 : termination, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listens ? listener.descriptor : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: replies.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    entries += all.map { pollfd(fd: $0.descriptor, events: $0.interest, revents: 0) }
    guard poll(&entries, nfds_t(entries.count), patience(all)) >= 0 else { return }
    for (connection, entry) in zip(all, entries[3...]) where entry.revents != 0 { connection.proceed(entry.revents) }
    if entries[2].revents != 0 { deliver() }
    if entries[1].revents != 0 { accept() }
    if entries[0].revents != 0 { drain() }
    let now = ContinuousClock.now
    for connection in connections.values {
      if connection.hasDeadline, connection.deadline <= now { end(connection) }
      if connection.phase == .closed { connections[connection.number] = nil }
    }
    let used = connections.values.reduce(0) { $0 + $1.memory + $1.unread }
    used == 0 ? freed.trim() : freed.note(used)
  }

  /// How long to wait at most, in milliseconds.
  private func patience(_ all: [ServedConnection]) -> Int32 {
    let now = ContinuousClock.now
    let times = all.filter(\.hasDeadline).map(\.deadline) + (pausedUntil > now ? [pausedUntil] : [])
    guard let first = times.min() else { return -1 }
    return Int32(max(0, (first - now) / .milliseconds(1)).rounded(.up))
  }

  private func deliver() {
    for (number, answer) in replies.take() {
      if let connection = connections[number], connection.phase == .working { connection.answer(answer) }
    }
  }

  private func accept() {
    while true {
      let descriptor = accept4(listener.descriptor, nil, nil, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      if descriptor < 0 {
        if errno == ECONNABORTED || errno == EINTR { continue }
        // No descriptor or no memory is left. A waiting connection keeps the listener readable: this would spin.
        if errno != EAGAIN { (pausedUntil, _) = (.now + .milliseconds(20), makeRoom()) }
        return
      }
      if connections.count >= limits.connections, !makeRoom() {
        close(descriptor)
        continue
      }
      var on: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      accepted += 1
      connections[accepted] = ServedConnection(descriptor, number: accepted, server: self)
    }
  }

  /// Ends what has taken too long.
  private func end(_ connection: ServedConnection) {
    guard connection.phase == .working else { return connection.close() }
    wasLate = true
    if !isDraining { drain() }
    connection.answerLate()
  }

  /// Closes the connection that has waited longest for its client; `false` if none waits for one.
  @discardableResult
  private func makeRoom() -> Bool {
    let waiting = connections.values.filter { $0.phase != .working }
    guard let oldest = waiting.min(by: { $0.deadline < $1.deadline }) else { return false }
    oldest.close()
    connections[oldest.number] = nil
    return true
  }

  private func drain() {
    isDraining = true
    close(listener.descriptor)
    for connection in connections.values {
      if connection.phase == .idle { connection.close() }
      connection.hurry(until: .now + .seconds(2))
    }
  }
}

extension ServedConnection {
  /// Whether the server waits for it before it ends.
  fileprivate var isWanted: Bool {
    switch phase {
    case .receiving, .working, .answering: true
    case .idle, .leaving, .closed: false
    }
  }
}
