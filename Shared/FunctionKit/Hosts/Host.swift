import HTTP1

/// What runs a function: it decides where events come from and where results go.
enum Host: Equatable {
  /// One event on stdin, the result on stdout.
  case once(eventID: String?)
  /// Events on lines of stdin.
  case stream
  /// One HTTP request: the body on stdin, the rest in variables.
  case cgi
  /// The function's own HTTP server.
  case http(HTTPSettings)

  /// Chooses by the arguments, and without one that names a host by the variables that engines set.
  ///
  /// Knative's count before those of a watchdog.
  /// - Throws: ``FunctionError/Code/usage`` for arguments that do not fit, ``FunctionError/Code/misconfigured`` that
  ///   names a variable with an unusable value.
  init(_ arguments: Arguments, _ environment: Environment) throws(FunctionError) {
    self = try arguments.mode == .once ? Self.engine(arguments, environment) : Self.named(arguments, environment)
    if arguments.eventID != nil {
      guard case .once = self else { throw FunctionError(.usage, "--event-id goes with one event on stdin.") }
    }
    guard arguments.concurrency != nil || arguments.isOpen else { return }
    guard case .http = self else {
      throw FunctionError(.usage, "\(arguments.isOpen ? "--open" : "--concurrency") goes with --http.")
    }
  }

  private static func named(_ arguments: Arguments, _ environment: Environment) throws(FunctionError) -> Host {
    guard case .http(let place) = arguments.mode else { return .stream }
    return .http(try HTTPSettings(place, arguments, environment))
  }

  private static func engine(_ arguments: Arguments, _ environment: Environment) throws(FunctionError) -> Host {
    if environment[HTTPSettings.service] != nil { return .http(try HTTPSettings(nil, arguments, environment)) }
    if environment[WatchdogRequest.method] != nil { return .cgi }
    return .once(eventID: arguments.eventID)
  }
}

/// Where a function listens, and for how many calls.
struct HTTPSettings: Equatable {
  /// The variable by which Knative and Cloud Run say that they run a service.
  static let service = "K_SERVICE"
  /// The variable with the port.
  static let portVariable = "PORT"
  /// The most calls that may be handled at the same time.
  static let mostConcurrent = 128

  var host: String
  var port: UInt16
  var concurrency = 1

  /// Whether only this machine can reach it.
  var isLoopback: Bool { ["127.0.0.1", "::1"].contains(host) }

  /// - Parameter place: `PORT` or `ADDRESS:PORT`.
  /// - Throws: for an address that other machines can reach, unless an engine or the caller says that this is meant.
  init(_ place: String?, _ arguments: Arguments, _ environment: Environment) throws(FunctionError) {
    concurrency = arguments.concurrency ?? 1
    // An engine reaches its containers from outside of them.
    host = environment[Self.service] == nil ? "127.0.0.1" : "0.0.0.0"
    guard let place else {
      port = try Self.port(environment)
      return
    }
    let split = place.lastIndex(of: ":")
    if let split { host = place[..<split].filter { $0 != "[" && $0 != "]" } }
    guard let number = UInt16(place[(split.map { place.index(after: $0) } ?? place.startIndex)...]),
      SocketAddress(host: host, port: number) != nil
    else { throw FunctionError(.usage, "--http takes PORT or ADDRESS:PORT, not \(place).") }
    port = number
    guard isLoopback || arguments.isOpen || environment[Self.service] != nil else {
      throw FunctionError(
        .usage,
        "Other machines can reach \(host), and nothing checks who calls: say --open if something in front does, or use "
          + "127.0.0.1 or ::1.")
    }
  }

  private static func port(_ environment: Environment) throws(FunctionError) -> UInt16 {
    guard let text = environment[portVariable] else {
      guard environment[service] == nil else {
        throw FunctionError(.misconfigured, "\(service) is set, but \(portVariable) is missing.")
      }
      return 8_080
    }
    guard let port = UInt16(text), port > 0 else {
      throw FunctionError(.misconfigured, "\(portVariable) must be a number from 1 to 65535, not \(text).")
    }
    return port
  }
}
