import CLinux
import FoundationEssentials
import FunctionKit
import Glibc

/// A function's decisions about an event, from a dry run of it.
struct DryRun {
  let function: String
  let result: RawJSON
  /// When the event happens.
  let now: Date

  /// Runs the function, which is in this program's folder.
  /// - Parameters:
  ///   - file: the event; `nil` for stdin.
  ///   - now: the time of the event, unless the event has one itself.
  /// - Throws: the function's own error about the event, with its code.
  init(of function: String, file: String?, at now: Date) throws {
    self.function = function
    let executable = Self.folder + "/" + function
    let isName = function.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }
    guard isName, access(executable, X_OK) == 0 else {
      throw FunctionError(.usage, "There is no function \(function); see runner list.")
    }
    let event = try Self.event(in: file, at: now)
    self.now = event["now"]?.stringValue.flatMap(RFC3339.date) ?? now
    let (output, status) = try Self.run(executable, on: Array(event.document.bytes))
    let text = output.last == 0x0A ? output.dropLast() : output[...]
    guard let document = try? RawJSON(validating: text) else {
      throw FunctionError(.failed, "\(function) ended with \(status) and said nothing that can be read.")
    }
    guard status == 0 else {
      let error = document["error"]
      let code = error?["code"]?.stringValue.flatMap(FunctionError.Code.init) ?? .failed
      throw FunctionError(code, "\(function) refuses the event: \(error?["message"]?.stringValue ?? "")")
    }
    guard document["counts"] != nil else {
      throw FunctionError(.usage, "\(function) decides about nobody: there is nothing to explain.")
    }
    result = document
  }

  private static var folder: String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    let place = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
  }

  private static func event(in file: String?, at now: Date) throws(FunctionError) -> Envelope {
    let descriptor = file.map { Glibc.open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
    guard descriptor >= 0 else { throw FunctionError(.noInput, "The event \(file ?? "") cannot be read.") }
    guard let bytes = StandardStreams.readAll(descriptor), let document = try? RawJSON(validating: bytes[...]) else {
      throw FunctionError(.invalidEvent, "The event is not a JSON document.")
    }
    let envelope = try Envelope(document)
    return envelope["now"] == nil ? envelope.with([("now", RawJSON(RFC3339.string(now)))]) : envelope
  }

  // A function reads its whole event before it writes, so the two pipes cannot block each other.
  private static func run(_ executable: String, on event: [UInt8]) throws -> (output: [UInt8], status: Int32) {
    signal(SIGPIPE, SIG_IGN)
    var (input, ends): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard pipe2(&input, O_CLOEXEC) == 0, pipe2(&ends, O_CLOEXEC) == 0 else {
      throw FunctionError(.failed, "No pipe could be made.")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    // Its log is for operators; an error in the event is on its stdout, too.
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var words = [strdup(executable), strdup("--dry-run"), nil]
    defer { words.forEach { free($0) } }
    var process: pid_t = 0
    let problem = posix_spawn(&process, executable, &actions, nil, &words, environ)
    close(input[0])
    close(ends[1])
    defer { close(ends[0]) }
    if problem == 0 { StandardStreams.write(event, to: input[1]) }
    close(input[1])
    guard problem == 0 else { throw FunctionError(.failed, "\(executable) cannot be started.") }
    let output = StandardStreams.readAll(ends[0]) ?? []
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (output, status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F))
  }
}
