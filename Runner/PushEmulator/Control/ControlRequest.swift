/// What a test or a person may ask of the emulator itself.
enum ControlRequest: Sendable, Equatable {
  /// The pushes that came, when there are some.
  case pushes(PushQuery)
  /// What the devices show.
  case devices(PushQuery)
  /// Sets what a device does.
  case instruct(token: String, DeviceRegistry.Instruction)
  /// Forgets pushes and device states.
  case reset

  /// Reads a request.
  ///
  /// - Throws: 404 and 405 where there is nothing to ask, 400 where the question is wrong.
  init(method: String, path: String, body: [UInt8]) throws(BadRequest) {
    let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = try PushQuery(parts.count == 2 ? parts[1] : "")
    let names = parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    switch (method, names.first ?? "", names.count) {
    case ("GET", "pushes", 1): self = .pushes(query)
    case ("DELETE", "pushes", 1): self = .reset
    case ("GET", "devices", 1): self = .devices(query)
    case ("POST", "devices", 2):
      let token = names[1].lowercased()
      guard PushRules.isDeviceToken(token) else { throw BadRequest("\(names[1]) is no device token.") }
      self = .instruct(token: token, try DeviceRegistry.Instruction(body))
    case (_, "pushes", 1), (_, "devices", 1...2): throw BadRequest(status: 405, "\(method) is not for \(parts[0]).")
    default: throw BadRequest(status: 404, "There is no \(parts[0]).")
    }
  }
}
