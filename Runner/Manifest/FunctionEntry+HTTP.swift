extension FunctionEntry {
  /// A program with no triggers that gets these variables, and can do without them.
  package init(_ name: String, optional variables: [String]) {
    self.init(name: name)
    (environment, optional) = (variables, Set(variables))
  }

  /// Who may call it over HTTP.
  package var http: HTTPTrigger {
    for case .http(let trigger) in triggers { return trigger }
    return HTTPTrigger()
  }
}
