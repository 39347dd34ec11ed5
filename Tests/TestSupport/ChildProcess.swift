import Glibc

/// A started program and the ends of its output.
struct ChildProcess: ~Copyable {
  private let process: pid_t
  private let output: Int32
  private let errors: Int32

  /// Starts a program whose standard input is a file, which it may leave unread.
  init(_ program: Program, input text: String) throws {
    let input = try Self.file(text)
    let (output, errors) = (try Pipe(), try Pipe())
    defer { [input, output.writing, errors.writing].forEach { close($0) } }
    process = try program.start(input: input, output: output.writing, errors: errors.writing)
    (self.output, self.errors) = (output.reading, errors.reading)
  }

  deinit {
    close(output)
    close(errors)
  }

  /// Reads it to its end; kills it and all its children at the end of the timeout.
  consuming func finish(within timeout: Duration) -> BuiltExecutables.Outcome {
    let deadline = ContinuousClock.now + timeout
    var received: [[UInt8]] = [[], []]
    var descriptors = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while descriptors.contains(where: { $0.fd >= 0 }) {
      let left = ContinuousClock.now.duration(to: deadline).components
      let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
      // A negative time would mean no limit.
      let count = poll(&descriptors, 2, Int32(clamping: max(0, milliseconds)))
      if count == 0 {
        // It leads a session, and so a group, of its own.
        kill(-process, SIGKILL)
        break
      }
      for index in 0...1 where descriptors[index].revents != 0 {
        if !Self.receive(descriptors[index].fd, into: &received[index]) { descriptors[index].fd = -1 }
      }
    }
    return BuiltExecutables.Outcome(
      stdout: String(decoding: received[0], as: UTF8.self), stderr: String(decoding: received[1], as: UTF8.self),
      exit: status())
  }

  private func status() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }

  private static func receive(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 { bytes += buffer[..<count] }
    return count > 0 || count < 0 && errno == EINTR
  }

  private static func file(_ text: String) throws -> Int32 {
    var path = Array("/tmp/stdin-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw SystemError("mkstemp") }
    unlink(path)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw SystemError("write")
    }
    return descriptor
  }
}
