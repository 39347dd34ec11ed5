import HTTP1

extension FunctionEntry {
  /// A program with no triggers that gets these variables, and can do without them.
  package init(_ name: String, optional variables: [String]) {
    self.init(name: name)
    (environment, optional) = (variables, Set(variables))
  }

  /// The rules who may call it over HTTP.
  package var http: HTTPTrigger {
    for case .http(let trigger) in triggers { return trigger }
    return HTTPTrigger()
  }

  /// The calls by which it changes something, if nothing else starts it; `nil` if something does.
  package var onlyCalls: [String]? {
    guard triggers.allSatisfy({ if case .http = $0 { true } else { false } }) else { return nil }
    let routes = http.routes.filter { $0.method != "GET" }.map(\.description)
    return routes.isEmpty ? ["POST /functions/v1/\(name)"] : routes
  }
}
