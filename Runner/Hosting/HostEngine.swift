package import FunctionKit

/// What has the events, and brings them to `runner host`.
package enum HostEngine: Sendable, Equatable {
  /// Callers over HTTP, or an engine that calls as they do.
  case http
  /// A watchdog of OpenFaaS that starts the host for each request.
  case watchdog

  /// Chooses by the variables that engines set.
  ///
  /// Knative's count before those of a watchdog.
  /// - Parameter listens: whether the command line says where to listen, which counts before them.
  package init(listens: Bool, _ environment: FunctionKit.Environment) throws(FunctionError) {
    if listens || environment[HostOptions.service] != nil {
      self = .http
    } else {
      self = environment[WatchdogRequest.method] == nil ? .http : .watchdog
    }
  }
}
