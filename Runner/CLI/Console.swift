import FunctionKit
import Glibc

/// What a person sees: data on stdout, complaints and logs on stderr.
package enum Console {
  /// Prints a line on stdout.
  @discardableResult
  package static func say(_ text: String) -> Int32 {
    write("\(text)\n", to: STDOUT_FILENO)
    return 0
  }

  /// Prints what goes on, for a person, on stderr.
  package static func note(_ text: String) {
    write("runner: \(text)\n", to: STDERR_FILENO)
  }

  /// Writes all of it; `false` when the reader has gone away, which need be no matter.
  @discardableResult
  package static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
