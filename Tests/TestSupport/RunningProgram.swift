package import Foundation
import Glibc
import Synchronization

/// A program that runs while a test looks at it.
///
/// It is killed, with its session, when the test lets go of it, or when all tests have ended.
package final class RunningProgram: Sendable {
  /// The process.
  package let processID: pid_t

  private let record = Record()

  // The processes that have not ended; those that nobody lets go of, because all tests share them, end with the tests.
  fileprivate static let running = Mutex<Set<pid_t>>([])
  private static let endsAtExit: Void = {
    atexit { RunningProgram.running.withLock { $0.forEach { kill(-$0, SIGKILL) } } }
  }()

  /// Starts a program; what it writes on both outputs is kept line by line.
  ///
  /// - Parameters:
  ///   - executable: the name of a built program, or a path with a slash.
  ///   - environment: all of it; `PATH` is `/usr/bin:/bin` unless given.
  package init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    let program = Program(
      path: executable.contains("/") ? executable : BuiltExecutables.path(of: executable), arguments: arguments,
      environment: environment.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given })
    let output = try Pipe()
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { [nothing, output.writing].forEach { close($0) } }
    _ = Self.endsAtExit
    processID = try program.start(input: nothing, output: output.writing, errors: output.writing)
    let (record, processID) = (record, processID)
    Self.running.withLock { _ = $0.insert(processID) }
    Thread.detachNewThread { record.follow(processID, output.reading) }
  }

  /// Everything written until now.
  package var lines: [String] { record.state.withLock { $0.lines } }

  /// The exit status, nil as long as it runs.
  package var ended: Int32? { record.state.withLock { $0.exit } }

  /// The first line, past or to come, that matches.
  ///
  /// - Throws: with everything that was written, when none comes in time or the program ends before.
  @discardableResult
  package func line(
    within limit: Duration = .seconds(120), where matches: @escaping @Sendable (String) -> Bool
  ) async throws -> String {
    let line = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
      let id: Int? = record.state.withLock { state in
        if let known = state.lines.first(where: matches) {
          continuation.resume(returning: known)
          return nil
        }
        if state.exit != nil {
          continuation.resume(returning: nil)
          return nil
        }
        state.nextID += 1
        state.waiting.append((state.nextID, matches, { continuation.resume(returning: $0) }))
        return state.nextID
      }
      guard let id else { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) { [record] in record.giveUp(id) }
    }
    guard let line else { throw ProgramFailure(description: lines.joined(separator: "\n")) }
    return line
  }

  /// Sends a signal to the process alone.
  package func send(_ signal: Int32) {
    kill(processID, signal)
  }

  /// The exit status, 128 and the signal's number when one ended it; throws when it does not end in time.
  @discardableResult
  package func exit(within limit: Duration = .seconds(120)) async throws -> Int32 {
    let once = Once()
    let status = await withCheckedContinuation { (continuation: CheckedContinuation<Int32?, Never>) in
      let known = record.state.withLock { state in
        if state.exit == nil {
          state.afterExit.append { status in once.run { continuation.resume(returning: status) } }
        }
        return state.exit
      }
      if let known { return once.run { continuation.resume(returning: known) } }
      DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) {
        once.run { continuation.resume(returning: nil) }
      }
    }
    guard let status else { throw ProgramFailure(description: "It did not end.\n" + lines.joined(separator: "\n")) }
    return status
  }

  deinit {
    Self.running.withLock { if $0.contains(processID) { kill(-processID, SIGKILL) } }
  }
}

/// The facts that are known of a running program.
///
/// Its threads hold this and not the program, which would otherwise never be let go.
private final class Record: Sendable {
  struct State {
    var lines: [String] = []
    var waiting: [(id: Int, matches: @Sendable (String) -> Bool, resume: @Sendable (String?) -> Void)] = []
    var nextID = 0
    var exit: Int32?
    var afterExit: [@Sendable (Int32) -> Void] = []
  }

  let state = Mutex(State())
  /// The line that has no end yet; nil after the pipe's end.
  private let unfinished = Mutex<[UInt8]?>([])

  func giveUp(_ id: Int) {
    let resume = state.withLock { state in
      let index = state.waiting.firstIndex { $0.id == id }
      return index.map { state.waiting.remove(at: $0).resume }
    }
    resume?(nil)
  }

  private func take(_ line: String) {
    let resumed = state.withLock { state in
      state.lines.append(line)
      let matching = state.waiting.filter { $0.matches(line) }
      state.waiting.removeAll { waiting in matching.contains { $0.id == waiting.id } }
      return matching
    }
    resumed.forEach { $0.resume(line) }
  }

  func follow(_ processID: pid_t, _ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    // Its children may hold the pipe open after it has ended, so its end is waited for apart from the pipe's.
    Thread.detachNewThread { [self] in awaitExit(processID, descriptor) }
    var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    repeat { poll(&events, 1, -1) } while !readAll(descriptor)
  }

  /// Takes the lines that the pipe holds now, and closes it at its end.
  ///
  /// - Returns: whether it has ended.
  private func readAll(_ descriptor: Int32) -> Bool {
    unfinished.withLock { unfinished in
      guard var rest = unfinished else { return true }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { break }
        guard count > 0 else {
          if !rest.isEmpty { take(String(decoding: rest, as: UTF8.self)) }
          close(descriptor)
          unfinished = nil
          return true
        }
        rest += buffer[..<count]
        while let end = rest.firstIndex(of: 0x0A) {
          take(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
      unfinished = rest
      return false
    }
  }

  private func awaitExit(_ processID: pid_t, _ descriptor: Int32) {
    var end = siginfo_t()
    while waitid(P_PID, id_t(processID), &end, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    // From then on another process may have its number, which must not be killed.
    RunningProgram.running.withLock { _ = $0.remove(processID) }
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    // Its last lines are known before its end is.
    _ = readAll(descriptor)
    let exit = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    let (waiting, after) = state.withLock { state in
      state.exit = exit
      defer { (state.waiting, state.afterExit) = ([], []) }
      return (state.waiting, state.afterExit)
    }
    waiting.forEach { $0.resume(nil) }
    after.forEach { $0(exit) }
  }
}

/// The output of a program that did not do what a test waited for.
package struct ProgramFailure: Error, CustomStringConvertible {
  /// All of it.
  package let description: String

  /// Says what did not happen.
  package init(description: String) {
    self.description = description
  }
}

/// Runs the first of several bodies only.
private final class Once: Sendable {
  private let done = Atomic(false)

  func run(_ body: () -> Void) {
    if !done.exchange(true, ordering: .acquiringAndReleasing) { body() }
  }
}
