import CLI
import Capture
import FunctionKit
import Manifest

extension TerminalWriter {
  /// Prints the error and returns its exit status.
  static func complain(_ error: any Error) -> Int32 {
    complain("runner", "\(error)")
    switch error {
    case let error as FunctionError: return error.code.exitStatus
    case is ManifestError, is MigrationError: return FunctionError.Code.misconfigured.exitStatus
    default: return FunctionError.Code.failed.exitStatus
    }
  }
}
