package import FunctionKit

/// How `runner host` runs functions.
package struct HostOptions: Sendable {
  /// The variable by which Knative and Cloud Run say that they run a service.
  package static let service = "K_SERVICE"
  /// The variable in which of-watchdog's mode `http` has the address of what it calls, which inherits it.
  package static let upstream = "upstream_url"

  package var engine = HostEngine.http
  /// Where it listens.
  package var host = "127.0.0.1"
  package var port: UInt16 = 8_080
  /// Whether something in front decides who may call.
  package var isBehindEngine = false
  /// Networks and addresses of proxies whose word counts about who calls; `nil` for those of the environment.
  package var trustedProxies: String?
  /// The least level of lines that are logged; `nil` for what is logged usually.
  package var logLevel: LogLevel?
  /// Whether functions decide everything, and change nothing.
  package var isDryRun = false

  package init() {}
}
