package import FunctionKit

/// The engine that has the events, and brings them to `runner host`.
package enum HostEngine: Sendable, Equatable {
  /// Callers over HTTP, or an engine that calls as they do.
  case http
  /// A watchdog of OpenFaaS that starts the host for each request.
  case watchdog
  /// AWS Lambda.
  case lambda(RuntimeAddress)

  /// The variable with the number of events that an execution environment of Lambda may have at once.
  private static let mostAtOnce = "AWS_LAMBDA_MAX_CONCURRENCY"
  /// The variable in which Lambda says what the function's handler is called.
  private static let handler = "_HANDLER"

  /// Chooses by the variables that engines set.
  ///
  /// Lambda's count before Knative's, and Knative's before those of a watchdog.
  /// - Parameter listens: whether the command line says where to listen, which counts before them.
  /// - Throws: ``FunctionError/Code/misconfigured`` that names a variable with an unusable value.
  package init(listens: Bool, _ environment: FunctionKit.Environment) throws(FunctionError) {
    if listens {
      self = .http
    } else if environment[RuntimeAddress.variable] != nil {
      self = .lambda(try RuntimeAddress(environment))
    } else if environment[HostOptions.service] == nil, environment[WatchdogRequest.method] != nil {
      self = .watchdog
    } else {
      self = .http
    }
  }

  /// The function that the engine names; `nil` if it names none.
  package func function(_ environment: FunctionKit.Environment) -> String? {
    if case .lambda = self { environment[Self.handler] } else { nil }
  }

  /// How many events of a function come at once; `nil` for as many as it takes.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` for a variable that is no number.
  package func concurrency(_ environment: FunctionKit.Environment) throws(FunctionError) -> Int? {
    guard case .lambda = self else { return nil }
    guard let text = environment[Self.mostAtOnce] else { return 1 }
    guard let number = Int(text), 1...1_000 ~= number else {
      throw FunctionError(.misconfigured, "\(Self.mostAtOnce) must be a number from 1 to 1000, not \(text).")
    }
    return number
  }

  /// The largest event that comes, in bytes; `nil` if that is what functions take anyway.
  var largestEvent: Int? {
    // With what is put around it.
    if case .lambda = self { RuntimeAPI.mostBytes + 65_536 } else { nil }
  }
}
