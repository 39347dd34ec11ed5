import CLinux
import Glibc
import Synchronization

/// Reads lines from a descriptor until its end or until SIGTERM arrives between two of them.
final class LineReader {
  private let descriptor: Int32
  private let limit: Int
  private let termination: Int32
  private var buffer: [UInt8] = []
  private var consumed = 0
  /// Where the search for a line end goes on.
  private var searched = 0
  private var skipping = false

  /// One line without its end.
  ///
  /// A line that is too long has no bytes.
  struct Line {
    var bytes: ArraySlice<UInt8>
    var tooLong = false
  }

  /// - Parameter limit: the longest line, in bytes.
  init(_ descriptor: Int32, limit: Int) {
    self.descriptor = descriptor
    self.limit = limit
    termination = TerminationSignal.descriptor()
  }

  /// The next line, `nil` at the end.
  func next() -> Line? {
    while true {
      if let line = buffered() { return line }
      guard waitForInput(), StandardStreams.read(descriptor, appendingTo: &buffer) else { return last() }
    }
  }

  /// The next line and those that are there already; `nil` at the end.
  ///
  /// - Parameter most: how many lines at most, 1 or more.
  func next(atMost most: Int) -> [Line]? {
    guard let first = next() else { return nil }
    var lines = [first]
    while lines.count < most, let line = ready() { lines.append(line) }
    return lines
  }

  /// A line that is there; it does not wait for one.
  private func ready() -> Line? {
    while true {
      if let line = buffered() { return line }
      guard arrival(within: 0) == .input, StandardStreams.read(descriptor, appendingTo: &buffer) else { return nil }
    }
  }

  /// Whether a line, the end or SIGTERM comes within a time, in milliseconds.
  func hasInput(within limit: Int32) -> Bool {
    buffer[searched...].lineEnd != nil || arrival(within: limit) != .nothing
  }

  private func buffered() -> Line? {
    while let end = buffer[searched...].lineEnd {
      let line = buffer[consumed..<end]
      (consumed, searched) = (end + 1, end + 1)
      if skipping {
        skipping = false
        return Line(bytes: [], tooLong: true)
      }
      return line.count > limit ? Line(bytes: [], tooLong: true) : Line(bytes: line)
    }
    buffer.removeFirst(consumed)
    consumed = 0
    if skipping || buffer.count > limit {
      skipping = true
      buffer.removeAll(keepingCapacity: true)
    }
    searched = buffer.count
    return nil
  }

  private func last() -> Line? {
    guard !buffer.isEmpty || skipping, termination >= 0 else { return nil }
    defer { (buffer, searched, skipping) = ([], 0, false) }
    return skipping ? Line(bytes: [], tooLong: true) : Line(bytes: buffer[...])
  }

  /// Waits for input or its end; `false` if the process was told to end.
  private func waitForInput() -> Bool {
    guard arrival(within: -1) == .input else {
      (buffer, searched) = ([], 0)
      return false
    }
    return true
  }

  private enum Arrival {
    case input, nothing, termination
  }

  /// - Parameter limit: how long to wait, in milliseconds; -1 for no limit.
  private func arrival(within limit: Int32) -> Arrival {
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: termination, events: Int16(POLLIN), revents: 0),
    ]
    repeat {
      let count = poll(&waiting, 2, limit)
      if count == 0 { return .nothing }
      if count < 0, errno != EINTR { return .termination }
    } while waiting.allSatisfy { $0.revents == 0 }
    return waiting[1].revents == 0 ? .input : .termination
  }
}

/// Turns SIGTERM into something that `poll` sees, so that a process can finish its present event.
enum TerminationSignal {
  // Written once, before the handler that reads it is installed, and never again.
  private nonisolated(unsafe) static var writeEnd: Int32 = -1
  /// The semaphore that the signal also posts; written once, before the handler is installed.
  nonisolated(unsafe) static var semaphore: UnsafeMutablePointer<sem_t>?

  private static let arrived = Atomic(false)

  /// Whether the process was told to end.
  static var hasArrived: Bool { arrived.load(ordering: .acquiring) }

  /// Becomes readable when SIGTERM arrives.
  ///
  /// From now on the signal itself does not end the process.
  ///
  /// Call this once in a process.
  static func descriptor() -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { return -1 }
    writeEnd = ends[1]
    install()
    return ends[0]
  }

  /// Takes the signal.
  ///
  /// From now on it does not end the process by itself.
  static func install() {
    // It is read here, before the handler can be called, because a handler must not initialize it.
    guard !hasArrived else { return }
    signal(SIGTERM) { _ in
      TerminationSignal.arrived.store(true, ordering: .releasing)
      var byte: UInt8 = 0
      _ = Glibc.write(TerminationSignal.writeEnd, &byte, 1)
      if let semaphore = TerminationSignal.semaphore { sem_post(semaphore) }
    }
    // The parent may have blocked the signal, as threads of thread pools do.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
