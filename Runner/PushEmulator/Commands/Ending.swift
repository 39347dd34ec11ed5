import CLinux
import FunctionKit
import Glibc
import Platform

/// The events that end a server: SIGTERM, SIGINT and, if wanted, the end of stdin.
struct Ending: Sendable {
  private let descriptors: [Int32]

  // Written once, before the handlers that read it are installed, and never again.
  private nonisolated(unsafe) static var writeEnd: Int32 = -1

  /// From now on the signals do not end the process by themselves.
  ///
  /// Call this once in a process.
  init(withStdin: Bool) throws(FunctionError) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { throw FunctionError.system("make", "a pipe", errno) }
    Self.writeEnd = ends[1]
    for number in [SIGTERM, SIGINT] {
      signal(number) { _ in
        var byte: UInt8 = 0
        _ = Glibc.write(Ending.writeEnd, &byte, 1)
      }
    }
    descriptors = [ends[0]] + (withStdin ? [STDIN_FILENO] : [])
  }

  /// Returns when one of them has come.
  ///
  /// It uses its own thread, because poll blocks, and epoll accepts neither /dev/null nor a file as stdin.
  func wait() async throws(FunctionError) {
    let isStarted = await withCheckedContinuation { continuation in
      let isStarted = BackgroundThread.start {
        poll()
        continuation.resume(returning: true)
      }
      if !isStarted { continuation.resume(returning: false) }
    }
    guard isStarted else { throw FunctionError.system("start", "a thread", EAGAIN) }
  }

  private func poll() {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var unread = [UInt8](repeating: 0, count: 4_096)
    while true {
      if Glibc.poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR { continue }
      if polled[0].revents != 0 { return }
      if polled.count > 1, polled[1].revents != 0, read(STDIN_FILENO, &unread, unread.count) <= 0 { return }
    }
  }
}
