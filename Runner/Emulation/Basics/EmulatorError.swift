import Glibc

/// Why a command cannot go on, with the exit status of sysexits.h.
package enum EmulatorError: Error, Equatable {
  /// The command line is wrong.
  case usage(String)
  /// Something that the command needs is not set up.
  case configuration(String)
  /// The emulator cannot be reached.
  case unavailable(String)
  /// A system call failed: what was tried, with what, and `errno`.
  case system(String, String, Int32)

  /// 64 bad usage, 78 misconfigured, 75 try again later, 71 the system failed.
  package var exitStatus: Int32 {
    switch self {
    case .usage: 64
    case .configuration: 78
    case .unavailable: 75
    case .system: 71
    }
  }

  /// One sentence for a person.
  package var sentence: String {
    switch self {
    case .usage(let text), .configuration(let text), .unavailable(let text): text
    case .system(let verb, let subject, let code): "Could not \(verb) \(subject): \(String(cString: strerror(code)))."
    }
  }
}
