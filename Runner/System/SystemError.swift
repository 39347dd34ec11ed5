import Glibc

/// A system call that failed, with its purpose.
package struct SystemError: Error, CustomStringConvertible {
  package let operation: String
  package let code: Int32

  package init(_ operation: String, code: Int32 = errno) {
    self.operation = operation
    self.code = code
  }

  package var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
