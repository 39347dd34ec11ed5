import CLinux
import Glibc

/// The epoll instance, with the handler of every watched descriptor.
struct Poller: ~Copyable {
  private struct Watch {
    let generation: UInt32
    var interest: Interest
    let body: (Interest) -> Void
  }

  private static let capacity = 512

  private let epoll: Int32
  private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
  private var watches: [Watch?] = []
  private var nextGeneration: UInt32 = 1

  init(wakeDescriptor: Int32) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    precondition(epoll >= 0, "no epoll descriptor: errno \(errno)")
    // Edge-triggered: each write to the eventfd wakes the loop once, and its counter need not be read.
    control(EPOLL_CTL_ADD, wakeDescriptor, events: EPOLLIN.rawValue | EPOLLET.rawValue, generation: 0)
  }

  deinit {
    events.deallocate()
    close(epoll)
  }

  mutating func watch(_ fd: Int32, for interest: Interest, _ body: @escaping (Interest) -> Void) {
    let index = Int(fd)
    while watches.count <= index { watches.append(nil) }
    precondition(watches[index] == nil, "descriptor \(fd) is watched already")
    let generation = nextGeneration
    nextGeneration = nextGeneration == .max ? 1 : nextGeneration + 1
    watches[index] = Watch(generation: generation, interest: interest, body: body)
    if interest != [] { control(EPOLL_CTL_ADD, fd, events: interest.epollEvents, generation: generation) }
  }

  mutating func update(_ fd: Int32, to interest: Interest) {
    guard let watch = self[fd] else { preconditionFailure("descriptor \(fd) is not watched") }
    guard watch.interest != interest else { return }
    // The kernel would report a failure again and again even without interest, so the descriptor leaves the epoll set.
    let operation = watch.interest == [] ? EPOLL_CTL_ADD : interest == [] ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
    watches[Int(fd)]?.interest = interest
    control(operation, fd, events: interest.epollEvents, generation: watch.generation)
  }

  mutating func unwatch(_ fd: Int32) {
    guard let watch = self[fd] else { return }
    watches[Int(fd)] = nil
    // The call fails for a descriptor that was closed before: it has left the set already.
    if watch.interest != [] { _ = epoll_ctl(epoll, EPOLL_CTL_DEL, fd, nil) }
  }

  mutating func removeAll() {
    for fd in watches.indices { unwatch(Int32(fd)) }
  }

  /// Waits for at most `milliseconds` (-1: without limit); returns how many events `event(_:)` has.
  mutating func wait(milliseconds: Int32) -> Int {
    max(0, Int(epoll_wait(epoll, events, Int32(Self.capacity), milliseconds)))
  }

  /// The handler to call for an event of the last wait; `nil` if its descriptor has been unwatched since.
  func event(_ index: Int) -> (body: (Interest) -> Void, ready: Interest)? {
    let event = events[index]
    let fd = Int32(truncatingIfNeeded: event.data.u64)
    guard let watch = self[fd], watch.generation == UInt32(event.data.u64 >> 32) else { return nil }
    let ready = Interest(epollEvents: event.events, asked: watch.interest)
    return ready == [] ? nil : (watch.body, ready)
  }

  private subscript(fd: Int32) -> Watch? {
    watches.indices.contains(Int(fd)) ? watches[Int(fd)] : nil
  }

  private func control(_ operation: Int32, _ fd: Int32, events: UInt32, generation: UInt32) {
    let data = epoll_data_t(u64: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: fd)))
    var event = epoll_event(events: events, data: data)
    let result = epoll_ctl(epoll, operation, fd, &event)
    precondition(result == 0, "descriptor \(fd) cannot be watched: errno \(errno)")
  }
}

/// The kinds of readiness for which a descriptor is watched, or that it has.
package struct Interest: OptionSet, Sendable, Hashable {
  /// One bit per kind.
  package let rawValue: UInt8

  /// A set of kinds from its bits.
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Bytes, a connection to accept, or the end of the stream can be read.
  package static let read = Interest(rawValue: 1)

  /// Bytes can be written, or a connection attempt has ended.
  package static let write = Interest(rawValue: 2)

  /// The peer has closed its sending side, or the descriptor has failed.
  ///
  /// A failure (`EPOLLHUP`, `EPOLLERR`) of a watched descriptor is reported even if this was not asked for.
  package static let hangUp = Interest(rawValue: 4)
}

extension Interest {
  var epollEvents: UInt32 {
    var events: UInt32 = 0
    if contains(.read) { events |= EPOLLIN.rawValue }
    if contains(.write) { events |= EPOLLOUT.rawValue }
    if contains(.hangUp) { events |= EPOLLRDHUP.rawValue }
    return events
  }

  /// Translates what the kernel reported.
  ///
  /// A failed descriptor counts as ready for everything that was asked: the next `read` or `write` finds the reason.
  init(epollEvents events: UInt32, asked: Interest) {
    var ready: Interest = []
    if events & EPOLLIN.rawValue != 0 { ready.insert(.read) }
    if events & EPOLLOUT.rawValue != 0 { ready.insert(.write) }
    if events & EPOLLRDHUP.rawValue != 0 { ready.insert(.hangUp) }
    if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { ready.formUnion(asked.union(.hangUp)) }
    self = ready
  }
}
