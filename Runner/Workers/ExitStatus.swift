/// What the exit statuses of functions mean over HTTP.
package enum ExitStatus {
  /// The status for another exit status than 0.
  package static func httpStatus(of exit: Int32) -> Int {
    switch exit {
    case 64...66: 400
    case 75: 503
    default: 500
    }
  }

  /// The code in an answer and in histories.
  package static func code(of exit: Int32) -> String {
    switch exit {
    case 0: "OK"
    case 64...66: "INVALID_EVENT"
    case 75: "UNAVAILABLE"
    case 77, 78: "CONFIG_ERROR"
    default: "WORKER_ERROR"
    }
  }
}
