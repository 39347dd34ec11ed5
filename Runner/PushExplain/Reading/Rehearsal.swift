import FunctionKit
import Glibc

/// What a function says that it would decide about an event, by its own dry run.
struct Rehearsal {
  let function: String
  let result: RawJSON

  /// Runs the function, which stands beside this program.
  /// - Parameter file: the event; `nil` for stdin.
  /// - Throws: what the function says is wrong with the event, under its own code.
  init(of function: String, file: String?) throws {
    self.function = function
    let executable = Self.folder + "/" + function
    let isName = function.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }
    guard isName, access(executable, X_OK) == 0 else {
      throw FunctionError(.usage, "There is no function \(function); see runner list.")
    }
    let input = try file.map(Self.open) ?? STDIN_FILENO
    let (output, status) = try Self.run(executable, reading: input)
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

  private static func open(_ file: String) throws(FunctionError) -> Int32 {
    let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FunctionError(.noInput, "The event \(file) cannot be read.") }
    return descriptor
  }

  private static func run(_ executable: String, reading input: Int32) throws -> (output: [UInt8], status: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw FunctionError(.failed, "There is no pipe to be had.") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    // Its log is for operators; what is wrong with the event stands on its stdout too.
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    var words = [strdup(executable), strdup("--dry-run"), nil]
    defer { words.forEach { free($0) } }
    var process: pid_t = 0
    let problem = posix_spawn(&process, executable, &actions, nil, &words, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard problem == 0 else { throw FunctionError(.failed, "\(executable) cannot be started.") }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(ends[0], $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += chunk[..<count]
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (output, status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F))
  }
}
