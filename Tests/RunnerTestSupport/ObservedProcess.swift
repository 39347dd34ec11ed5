import CLinux
import Glibc
package import System

/// Both ends close on `exec`: a child has only the descriptors that it is given.
package final class TestPipe: Sendable {
  package let reading: Int32
  package let writing: Int32

  package init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError("pipe2") }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit { [reading, writing].forEach { close($0) } }
}

/// A process of a test, and all of its descendants that keep its output, seen through that output.
///
/// Its input is a pipe that ends with the test process, which ends a `read` or `cat` that nobody else ended.
package final class ObservedProcess: Sendable {
  package let id: ProcessID
  private let input: TestPipe
  private let output: Int32

  /// Starts a program in a session of its own.
  ///
  /// - Parameter line: What becomes its input instead of the pipe of the test.
  package init(_ arguments: [String], environment: [String] = [], line: Int32? = nil) throws {
    input = try TestPipe()
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError("pipe2") }
    output = ends[0]
    defer { close(ends[1]) }
    id = try SessionProcess.start(
      arguments, environment: ["PATH=/usr/bin:/bin"] + environment, input: line ?? input.reading, output: ends[1])
  }

  deinit {
    close(output)
    kill(id, SIGKILL)
    _ = waitpid(id, nil, 0)
  }

  package func say(_ text: String) { _ = write(input.writing, text, text.utf8.count) }

  /// Reads until the output holds this text.
  package func says(_ text: String, atMost limit: Duration = .seconds(120)) -> Bool {
    let deadline = ContinuousClock.now + limit
    var heard = ""
    while !heard.contains(text), let part = hear(until: deadline), !part.isEmpty { heard += part }
    return heard.contains(text)
  }

  /// Whether the process and all that hold its output have ended before the limit.
  package func hasEnded(atMost limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    while let part = hear(until: deadline) {
      if part.isEmpty { return true }
    }
    return false
  }

  /// The next output, empty at the end; `nil` when nothing came in time.
  private func hear(until deadline: ContinuousClock.Instant) -> String? {
    guard becomesReadable(output, until: deadline) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(output, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }
}

/// Whether a process has ended before the limit, no matter who its parent is.
package func waitForEnd(of process: ProcessID, atMost limit: Duration) -> Bool {
  let descriptor = shim_pidfd_open(process)
  guard descriptor >= 0 else { return true }
  defer { close(descriptor) }
  return becomesReadable(descriptor, until: ContinuousClock.now + limit)
}

private func becomesReadable(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
  var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  let left = ContinuousClock.now.duration(to: deadline)
  return poll(&waiting, 1, Int32(max(0, left / .milliseconds(1)))) == 1
}
