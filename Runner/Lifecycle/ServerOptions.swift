package import FunctionKit
package import Gateway
package import Manifest
import System

extension Server {
  /// The options of the command line.
  package struct Options: Sendable {
    package var host = "127.0.0.1"
    package var port: UInt16 = 54321
    package var startsServices = true
    /// Whether a database that is not the runner's own is only for tests, so that stand-ins may be used with it.
    package var emulates = false
    /// Whether the runner may change a database that is not its own.
    package var migrates = false
    /// How long a silent runner keeps its partitions, in seconds.
    package var leaseSeconds = 15
    /// Whether the runner follows changes of `functions.json` and of executables.
    package var watches = false
    /// The functions that this runner has.
    package var selection = FunctionSelection()
    /// How long the runner still takes calls after the signal to end, in seconds.
    ///
    /// It is not ready during that time.
    package var drainSeconds = 0
    /// Makes the pages for people, once the server has its database; `nil` if there are none.
    package var pages: (@RunnerLoop @Sendable (Server) -> (any PageServer)?)?
    /// Networks and addresses of proxies whose word counts about who calls; `nil` for those of the environment.
    package var trustedProxies: String?
    /// The key that was made because none was set, to be said once it counts.
    package var madeKey: String?
    /// The least level of lines that are logged; `nil` for what is logged usually.
    package var logLevel: LogLevel?
    /// How long the runner waits for a database that starts, in seconds.
    package var waitSeconds = 60

    package init() {}
  }
}
