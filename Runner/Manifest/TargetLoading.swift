extension TargetEntry {
  /// The members of a function's entry that are only for one with a URL.
  static let members = ["engine", "cloudevents", "headers", "secret", "aws", "certificates"]
  /// The members that only a function with processes may have.
  private static let membersOfProcesses = ["executable", "mode", "connections", "environment", "rehearses"]

  /// Reads where a function runs; `nil` for one that runs here.
  init?(_ members: [String: ManifestNode]) throws(ManifestError) {
    guard let node = members["url"] else {
      for name in Self.members {
        if let node = members[name] { throw node.error("is for functions with a \"url\"") }
      }
      return nil
    }
    for name in Self.membersOfProcesses {
      if let node = members[name] { throw node.error("is for processes, but the function has a \"url\"") }
    }
    url = try node.variableText()
    let isURL = ["http://", "https://", "${"].contains(where: try node.string().hasPrefix)
    guard isURL else { throw node.error("must begin with http://, https:// or a variable such as ${BILLING_URL}") }
    engine = try members["engine"]?.choice(Engine.self) ?? engine
    if let node = members["batch"], engine != .http {
      throw node.error("is a list of events, which only functions with \"engine\": \"http\" can take")
    }
    // What OpenFaaS starts for an event reads only the body.
    format = engine == .openfaas ? .structured : .binary
    format = try members["cloudevents"]?.choice(Format.self) ?? format
    for (name, node) in try members["headers"]?.members() ?? [] {
      guard Self.isFree(name) else { throw node.error("is not a header field that may be set") }
      headers.append(Header(name: name, value: try node.variableText()))
    }
    secret = try members["secret"]?.string()
    certificates = try members["certificates"]?.string()
    if let node = members["aws"] {
      let region = try node.members(allowed: ["region"])["region"]
      guard let region else { throw node.error("has no \"region\"") }
      self.region = try region.string()
    }
  }

  /// Whether it is the name of a header field that is neither the connection's nor the event's.
  private static func isFree(_ name: String) -> Bool {
    let lower = name.lowercased()
    let taken = [
      "connection", "content-length", "content-type", "expect", "te", "trailer", "transfer-encoding", "upgrade",
    ]
    let isToken = lower.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
    return !name.isEmpty && isToken && !taken.contains(lower)
      && !["ce-", "webhook-", "x-amz-"].contains(where: lower.hasPrefix)
  }
}

extension ManifestNode {
  fileprivate func variableText() throws(ManifestError) -> VariableText {
    guard let text = VariableText(try string()) else {
      throw error("has a \"${\" without a variable's name and \"}\" behind it")
    }
    return text
  }
}
