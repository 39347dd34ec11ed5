import FunctionKit
import Glibc

extension FunctionError {
  /// A system call failed: what was tried, with what, and `errno`.
  static func system(_ verb: String, _ subject: String, _ code: Int32) -> FunctionError {
    FunctionError(.failed, "Could not \(verb) \(subject): \(String(cString: strerror(code))).")
  }
}
