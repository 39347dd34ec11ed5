import Glibc

/// A system call that failed, with what it was about.
struct SystemError: Error, CustomStringConvertible {
  let operation: String
  let code: Int32

  init(_ operation: String, code: Int32 = errno) {
    self.operation = operation
    self.code = code
  }

  var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
