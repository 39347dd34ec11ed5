import FunctionKit
import Glibc

/// How a person starts this program.
package enum OwnName {
  /// `runner` if the shell finds this program by that name, else the path by which it was started.
  package static var current: String {
    let typed = CommandLine.arguments.first ?? "runner"
    let places = (Environment.current()["PATH"] ?? "").split(separator: ":").map { "\($0)/runner" }
    let found = places.first { access($0, X_OK) == 0 }
    return !typed.contains("/") || found.flatMap(resolved) == resolved("/proc/self/exe") ? "runner" : typed
  }

  private static func resolved(_ path: String) -> String? {
    guard let path = realpath(path, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
