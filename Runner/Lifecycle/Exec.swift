package import FunctionKit
import Glibc

/// Turns this process into another program, with its output, signals and exit status.
package enum Exec {
  /// Returns only to say that it failed.
  package static func become(
    _ executable: String, _ arguments: [String], environment: [String: String]
  ) -> FunctionError {
    let words = ([executable] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    signal(SIGPIPE, SIG_DFL)
    execve(executable, words, variables)
    return FunctionError(.noInput, "\(executable) cannot be run: \(String(cString: strerror(errno))).")
  }
}
