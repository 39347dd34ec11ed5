import CLinux
import Foundation
import Glibc

/// A function that runs with `--stream` and gets its lines from a test.
///
/// It is killed when the test lets go of it.
package final class StreamedFunction: Sendable {
  /// `F_SETPIPE_SZ`, which Swift does not import.
  private static let setPipeSize: Int32 = 1_031

  private let processID: pid_t
  private let input: FileHandle
  private let answers: LineSource
  private let folder: TemporaryDirectory

  /// Starts a built program.
  ///
  /// - Parameter environment: all of it.
  package init(_ name: String, environment: [String: String]) throws {
    folder = try TemporaryDirectory()
    let (given, answered) = (try Pipe(), try Pipe())
    // A whole batch fits in the pipe, so that one write gives all of it.
    _ = fcntl(given.writing, Self.setPipeSize, 1 << 20)
    let log = open("\(folder.path)/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { [given.reading, answered.writing, log].forEach { Glibc.close($0) } }
    processID = try Program(
      path: BuiltExecutables.path(of: name), arguments: ["--stream"], environment: environment
    ).start(input: given.reading, output: answered.writing, errors: log)
    input = FileHandle(fileDescriptor: given.writing, closeOnDealloc: true)
    answers = LineSource(answered.reading)
  }

  /// The log that it has written.
  package var log: String { (try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)) ?? "" }

  /// Gives it lines by a single write, and does not wait for answers.
  package func give(_ lines: [String]) async throws {
    let text = lines.map { $0 + "\n" }.joined()
    let input = input.fileDescriptor
    try await blocking {
      // A process that has ended is an error here, and not the end of the tests.
      var pipeSignal = sigset_t()
      sigemptyset(&pipeSignal)
      sigaddset(&pipeSignal, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw SystemError("write to a function") }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Its next answers.
  ///
  /// - Throws: with its log, if it ends before or says nothing more in time.
  package func answers(_ count: Int, within limit: Duration = .seconds(120)) async throws -> [String] {
    let lines = try await blocking { [answers] in answers.next(count, until: .now + limit) }
    guard lines.count == count else {
      throw ProgramFailure(description: "\(lines.count) of \(count) answers came.\n\(log)")
    }
    return lines
  }

  /// Gives it lines at once, and waits for their answers; blank lines have none.
  package func answers(to lines: [String]) async throws -> [String] {
    try await give(lines)
    return try await answers(lines.count { !$0.isEmpty })
  }

  /// Closes its input, so that it ends after the last line.
  package func close() throws { try input.close() }

  /// Sends it a signal.
  package func send(_ signal: Int32) { kill(processID, signal) }

  /// The answers that come until it ends.
  package func rest() async throws -> [String] {
    try await blocking { [answers] in answers.next(.max, until: .now + .seconds(120)) }
  }

  private func blocking<Answer: Sendable>(_ body: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      // A thread of the shared pool must not block.
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }

  deinit {
    kill(-processID, SIGKILL)
    waitpid(processID, nil, 0)
  }
}

/// The lines of a pipe; only one at a time may ask for them.
private final class LineSource: @unchecked Sendable {
  private let descriptor: Int32
  private var bytes: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// As many lines as asked for; fewer at the end of the pipe or of the time.
  func next(_ count: Int, until deadline: ContinuousClock.Instant) -> [String] {
    var lines: [String] = []
    while true {
      var start = 0
      while lines.count < count, let end = bytes[start...].firstIndex(of: 0x0A) {
        lines.append(String(decoding: bytes[start..<end], as: UTF8.self))
        start = end + 1
      }
      bytes.removeFirst(start)
      guard lines.count < count, fill(until: deadline) else { return lines }
    }
  }

  private func fill(until deadline: ContinuousClock.Instant) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let left = ContinuousClock.now.duration(to: deadline)
    guard poll(&waiting, 1, Int32(max(0, left / .milliseconds(1)))) == 1 else { return false }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 { bytes += buffer[..<count] }
    return count > 0
  }
}
