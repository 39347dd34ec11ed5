import CLI
import Capture
import FunctionKit
import Glibc
import Manifest

extension Console {
  /// Prints what went wrong and gives the exit status for it.
  static func complain(_ error: any Error) -> Int32 {
    write("runner: \(error)\n", to: STDERR_FILENO)
    switch error {
    case let error as FunctionError: return error.code.exitStatus
    case is ManifestError, is MigrationError: return FunctionError.Code.misconfigured.exitStatus
    default: return FunctionError.Code.failed.exitStatus
    }
  }
}
