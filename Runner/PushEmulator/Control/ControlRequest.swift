import Formats
import FunctionKit

/// A request of a test or a person to the emulator itself.
enum ControlRequest: Sendable, Equatable {
  /// The pushes that came; may wait for them.
  case pushes(PushQuery)
  case push(Int)
  /// A push as a file for Xcode's simulator.
  case simulatorFile(Int, isPlain: Bool)
  /// The screens of the devices.
  case devices(PushQuery)
  case changeDevice(DeviceRegistry.Subject, RawJSON)
  case forgetDevice(DeviceRegistry.Subject)
  /// The Live Activities of the devices.
  case activities(PushQuery)
  /// The broadcast channels of all apps.
  case channels
  /// The token that an app of a device gets to start activities of a type.
  case startToken(ActivityToken)
  case faults
  case addFault(Fault.Rule)
  /// The fault of that number, or all.
  case removeFault(Int?)
  case keys
  case addKey(RawJSON)
  case removeKey(String)
  /// A service account for a Firebase project.
  case addAccount(String)
  case clock
  case setClock(RawJSON)
  case connections
  /// Drops the open connection of that number, or all, or sends a GOAWAY.
  case disturb(Answer, only: Int?)
  case snapshot
  case restore(RawJSON)
  /// Forgets pushes, device states and faults.
  case reset

  /// Reads a request.
  ///
  /// - Throws: 404 and 405 for an unknown path or method, 400 for a wrong request.
  init(method: String, path: String, body: [UInt8]) throws(BadRequest) {
    let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = parts.count == 2 ? parts[1] : ""
    let names = parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    guard let place = names.first, names.count <= 2, Self.methods[place] != nil else {
      throw BadRequest(status: 404, "There is no \(parts[0]).")
    }
    let name = names.count == 2 ? names[1] : nil
    switch (place, name) {
    case ("pushes", let name): self = try Self.pushes(method, name, query)
    case ("devices", let name): self = try Self.devices(method, name, query, body)
    case ("activities", nil): self = try Self.activities(method, query, body)
    case ("faults", let name): self = try Self.faults(method, name, body)
    case ("keys", let name): self = try Self.keys(method, name, body)
    case (_, nil): self = try Self.rest(method, place, body)
    default: throw BadRequest(status: 404, "There is no \(parts[0]).")
    }
  }

  private static let methods = [
    "pushes": "GET and DELETE", "devices": "GET, POST and DELETE", "activities": "GET and POST", "channels": "GET",
    "faults": "GET, POST and DELETE", "keys": "GET, POST and DELETE", "accounts": "POST", "clock": "GET and PUT",
    "connections": "GET and POST", "snapshot": "GET and PUT",
  ]

  private static func wrong(_ method: String, _ place: String) -> BadRequest {
    BadRequest(status: 405, "\(method) is not for /\(place), which has \(methods[place] ?? "").")
  }

  private static func pushes(_ method: String, _ name: String?, _ query: Substring) throws(BadRequest) -> Self {
    switch (method, name) {
    case ("GET", nil): return .pushes(try PushQuery(query))
    case ("DELETE", nil): return .reset
    case ("GET", let name?):
      let isFile = name.hasSuffix(".apns")
      guard let seq = PushRules.number(isFile ? String(name.dropLast(5)) : name) else {
        throw BadRequest(status: 404, "There is no push \(name).")
      }
      return isFile ? .simulatorFile(seq, isPlain: query == "plain") : .push(seq)
    default: throw wrong(method, "pushes")
    }
  }

  private static func devices(
    _ method: String, _ name: String?, _ query: Substring, _ body: [UInt8]
  ) throws(BadRequest) -> Self {
    switch (method, name) {
    case ("GET", nil): return .devices(try PushQuery(query))
    case ("POST", let name?): return .changeDevice(try subject(name), try RawJSON.object(body))
    case ("DELETE", let name?): return .forgetDevice(try subject(name))
    default: throw wrong(method, "devices")
    }
  }

  private static func subject(_ name: String) throws(BadRequest) -> DeviceRegistry.Subject {
    try DeviceRegistry.Subject(PercentEncoding.formText(name[...]) ?? name)
  }

  private static func activities(_ method: String, _ query: Substring, _ body: [UInt8]) throws(BadRequest) -> Self {
    guard method == "POST" else {
      guard method == "GET" else { throw wrong(method, "activities") }
      return .activities(try PushQuery(query))
    }
    let json = try RawJSON.object(body)
    try json.checkMembers(["device", "type"])
    guard let device = try json.text("device"), let type = try json.text("type"),
      let token = ActivityToken(phone: device.lowercased(), startingType: type)
    else { throw BadRequest("device must be a device token of 64 digits, and type at most 60 bytes.") }
    return .startToken(token)
  }

  private static func faults(_ method: String, _ name: String?, _ body: [UInt8]) throws(BadRequest) -> Self {
    switch (method, name) {
    case ("GET", nil): return .faults
    case ("POST", nil): return .addFault(try Fault.Rule(try RawJSON.object(body)))
    case ("DELETE", nil): return .removeFault(nil)
    case ("DELETE", let name?):
      guard let id = PushRules.number(name) else { throw BadRequest(status: 404, "There is no fault \(name).") }
      return .removeFault(id)
    default: throw wrong(method, "faults")
    }
  }

  private static func keys(_ method: String, _ name: String?, _ body: [UInt8]) throws(BadRequest) -> Self {
    switch (method, name) {
    case ("GET", nil): return .keys
    case ("POST", nil): return .addKey(try RawJSON.object(body))
    case ("DELETE", let name?): return .removeKey(name)
    default: throw wrong(method, "keys")
    }
  }

  private static func rest(_ method: String, _ place: String, _ body: [UInt8]) throws(BadRequest) -> Self {
    switch (method, place) {
    case ("POST", "accounts"): return .addAccount(try project(body))
    case ("GET", "channels"): return .channels
    case ("GET", "clock"): return .clock
    case ("PUT", "clock"): return .setClock(try RawJSON.object(body))
    case ("GET", "connections"): return .connections
    case ("POST", "connections"): return try disturbance(body)
    case ("GET", "snapshot"): return .snapshot
    case ("PUT", "snapshot"): return .restore(try RawJSON.object(body))
    default: throw wrong(method, place)
    }
  }

  private static func project(_ body: [UInt8]) throws(BadRequest) -> String {
    let json = try RawJSON.object(body)
    try json.checkMembers(["projectId"])
    guard let text = try json.text("projectId"), text.utf8.count <= 30,
      text.unicodeScalars.allSatisfy({ ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" })
    else { throw BadRequest("projectId must be at most 30 small letters, digits and hyphens.") }
    return text
  }

  private static func disturbance(_ body: [UInt8]) throws(BadRequest) -> Self {
    let json = try RawJSON.object(body)
    try json.checkMembers(["drop", "goaway", "connection"])
    let members = json.members.filter { $0.name != "connection" }.map { ($0.name, $0.value) }
    let answer = members.isEmpty ? nil : try Effect(RawJSON(object: members)).answer
    switch answer {
    case .drop, .goAway: return .disturb(answer ?? .drop, only: try json.number("connection", in: 1...Int.max))
    default: throw BadRequest("Connections get drop or goaway.")
    }
  }
}
