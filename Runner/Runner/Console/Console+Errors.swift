import CLI
import Capture
import FunctionKit
import Glibc
import Manifest

extension Console {
  /// Prints the error and returns its exit status.
  static func complain(_ error: any Error) -> Int32 {
    write("runner: \(error)\n", to: STDERR_FILENO)
    switch error {
    case let error as FunctionError: return error.code.exitStatus
    case is ManifestError, is MigrationError: return FunctionError.Code.misconfigured.exitStatus
    default: return FunctionError.Code.failed.exitStatus
    }
  }
}
