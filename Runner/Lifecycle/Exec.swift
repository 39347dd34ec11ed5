package import FunctionKit
import Glibc

/// Turns this process into another program, with its output, signals and exit status.
package enum Exec {
  /// Returns only to say that it failed.
  /// - Parameter directory: where the program works; `nil` for where this one does.
  package static func become(
    _ executable: String, _ arguments: [String], environment: [String: String], in directory: String? = nil
  ) -> FunctionError {
    if let directory, chdir(directory) != 0 {
      return FunctionError(.noInput, "\(directory) cannot be entered: \(String(cString: strerror(errno))).")
    }
    let words = ([executable] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    signal(SIGPIPE, SIG_DFL)
    execve(executable, words, variables)
    return FunctionError(.noInput, "\(executable) cannot be run: \(String(cString: strerror(errno))).")
  }
}
