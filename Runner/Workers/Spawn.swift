import CLinux
import Glibc
import System

/// Why a process could not be started.
package struct SpawnError: Error, CustomStringConvertible {
  let errno: Int32

  package init(errno: Int32) {
    self.errno = errno
  }

  package var description: String { String(cString: strerror(errno)) }

  /// Whether the same may succeed soon: the system is short of something, or the executable is just being written.
  var isPassing: Bool { [EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY].contains(errno) }
}

/// A process just started, with the parent's non-blocking ends of its pipes.
@RunnerLoop
struct Spawn {
  let processID: pid_t
  let processDescriptor: Int32
  /// Its stdin; -1 where that is closed already.
  let input: Int32
  let output: Int32
  let error: Int32
  /// How much of its whole input is in the pipe.
  let written: Int

  /// Starts a process as the leader of a new group, with nothing open but its three streams.
  ///
  /// - Parameter whole: all that it will ever read, `nil` where that is not known yet. What fits into the pipe is there
  ///   before the process is; if all of it does, its stdin is closed behind it.
  static func start(_ program: Program, input whole: [UInt8]?) throws(SpawnError) -> Spawn {
    var pipes = try Pipes()
    defer { pipes.closeChildEnds() }
    let written = whole.map { pipes.write($0) } ?? 0
    if written == whole?.count { pipes.closeInput() }
    do {
      let process = try program.start(streams: pipes.childEnds)
      return Spawn(
        processID: process.processID, processDescriptor: process.descriptor, input: pipes.parentEnds[0],
        output: pipes.parentEnds[1], error: pipes.parentEnds[2], written: written)
    } catch {
      pipes.closeParentEnds()
      throw error
    }
  }
}

/// The three pipes between a process and its parent.
private struct Pipes {
  private(set) var childEnds: [Int32] = []
  private(set) var parentEnds: [Int32] = []

  init() throws(SpawnError) {
    for stream in 0..<3 {
      var ends: [Int32] = [-1, -1]
      guard pipe2(&ends, O_CLOEXEC) == 0 else {
        let reason = errno
        closeChildEnds()
        closeParentEnds()
        throw SpawnError(errno: reason)
      }
      childEnds.append(ends[stream == 0 ? 0 : 1])
      parentEnds.append(ends[stream == 0 ? 1 : 0])
      _ = fcntl(parentEnds[stream], F_SETFL, O_NONBLOCK)
    }
  }

  /// Writes into the child's stdin what fits; there is no reader yet to take any of it.
  func write(_ bytes: [UInt8]) -> Int { max(0, Glibc.write(parentEnds[0], bytes, bytes.count)) }

  mutating func closeInput() {
    close(parentEnds[0])
    parentEnds[0] = -1
  }

  func closeChildEnds() { childEnds.forEach { close($0) } }
  func closeParentEnds() { for end in parentEnds where end >= 0 { close(end) } }
}
