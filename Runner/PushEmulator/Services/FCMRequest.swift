import FunctionKit

/// The body of `messages:send`, checked as FCM does.
struct FCMRequest: Sendable {
  let json: RawJSON
  /// The device; a topic or condition as `/topics/…` and `?…`.
  let target: String
  let isValidateOnly: Bool
  let collapseKey: String?
  /// The id that replaces an earlier notification on the screen.
  let tag: String?
  /// How long it is kept, in seconds; `nil` for the four weeks of the service.
  let ttl: Double?
  let priority: String?

  /// The limit of data and notification, in bytes; half of it for topics.
  static let sizeLimit = 4_096
  /// Four weeks, in seconds.
  static let longestTTL = 2_419_200.0

  init(_ body: [UInt8]) throws(FCMFailure) {
    guard let request = try? RawJSON(validating: body[...]), request.kind == .object else {
      throw .field("", "Invalid JSON payload received. Expected an object.")
    }
    try Self.check(request, FCMFields.request, at: "")
    guard let message = request["message"], message.kind == .object else {
      throw .field("message", "The message is missing.")
    }
    json = message
    isValidateOnly =
      request.either("validate_only", "validateOnly").map { $0.bytes.first == UInt8(ascii: "t") } ?? false
    try Self.check(message, FCMFields.message, at: "message")
    target = try Self.target(message)
    let android = message["android"]
    if let android { try Self.check(android, FCMFields.android, at: "message.android") }
    if let notification = android?["notification"] {
      try Self.check(notification, FCMFields.androidNotification, at: "message.android.notification")
    }
    if let notification = message["notification"] {
      try Self.check(notification, FCMFields.notification, at: "message.notification")
    }
    try Self.checkAPNs(message["apns"])
    try Self.checkData(message["data"], at: "message.data")
    try Self.checkData(android?["data"], at: "message.android.data")
    collapseKey = android?.either("collapse_key", "collapseKey")?.stringValue
    tag = android?["notification"]?["tag"]?.stringValue
    priority = try Self.priority(android?["priority"])
    ttl = try Self.ttl(android?["ttl"])
    try Self.checkSize(message, isTopic: target.hasPrefix("/") || target.hasPrefix("?"))
  }

  private static func target(_ message: RawJSON) throws(FCMFailure) -> String {
    let targets = ["token", "fid", "topic", "condition"].compactMap { name in
      message[name]?.stringValue.map { (name, $0) }
    }
    guard targets.count < 2 else {
      throw .field("message.\(targets[1].0)", "Only one of token, fid, topic and condition may be set.")
    }
    guard let (name, text) = targets.first, !text.isEmpty else {
      throw .field("message", "Recipient of the message is not set.")
    }
    switch name {
    case "topic": return "/topics/\(text)"
    case "condition": return "?\(text)"
    default:
      guard
        text.unicodeScalars.allSatisfy({
          $0.isASCII && $0.properties.isAlphabetic || "0123456789:_-.%".unicodeScalars.contains($0)
        })
      else { throw FCMFailure(status: 400, reason: "INVALID_ARGUMENT") }
      return text
    }
  }

  private static func priority(_ json: RawJSON?) throws(FCMFailure) -> String? {
    guard let json else { return nil }
    guard let text = json.stringValue?.uppercased(), ["NORMAL", "HIGH"].contains(text) else {
      throw .field("message.android.priority", "Invalid value at 'message.android.priority' (AndroidMessagePriority).")
    }
    return text
  }

  /// `"3600s"`, a fraction allowed.
  private static func ttl(_ json: RawJSON?) throws(FCMFailure) -> Double? {
    guard let json else { return nil }
    guard let text = json.stringValue, text.hasSuffix("s"), let seconds = Double(text.dropLast()), seconds >= 0,
      seconds <= longestTTL, text.utf8.first.map({ (48...57).contains($0) }) == true
    else {
      throw .field(
        "message.android.ttl", "Invalid value at 'message.android.ttl': a duration such as 3600s, at most four weeks.")
    }
    return seconds
  }
}

extension FCMRequest {
  private static func check(_ json: RawJSON, _ names: [String], at path: String) throws(FCMFailure) {
    guard json.kind == .object else { throw .field(path, "Invalid value at '\(path)': an object is expected.") }
    for member in json.members where !names.contains(FCMFields.snakeCase(member.name)) {
      throw .field(
        path, "Invalid JSON payload received. Unknown name \"\(member.name)\" at '\(path)': Cannot find field.")
    }
  }

  /// Data has only texts, and no names that the SDKs reserve.
  private static func checkData(_ data: RawJSON?, at path: String) throws(FCMFailure) {
    guard let data else { return }
    guard data.kind == .object else { throw .field(path, "Invalid value at '\(path)': an object is expected.") }
    for (place, member) in data.members.enumerated() {
      guard member.value.kind == .string else {
        throw .field("\(path)[\(place)].value", "Invalid value at '\(path)[\(place)].value' (TYPE_STRING)")
      }
      let name = member.name.lowercased()
      guard name != "from", name != "message_type", !name.hasPrefix("google"), !name.hasPrefix("gcm") else {
        throw .field("\(path)[\(place)].key", "Invalid data payload key: \(member.name)")
      }
    }
  }

  private static func checkAPNs(_ apns: RawJSON?) throws(FCMFailure) {
    guard let apns else { return }
    try check(apns, FCMFields.apns, at: "message.apns")
    for member in apns["headers"]?.members ?? [] where member.value.kind != .string {
      throw .field("message.apns.headers", "Invalid value at 'message.apns.headers' (TYPE_STRING)")
    }
    guard apns["payload"].map({ $0.kind == .object }) ?? true else {
      throw .field("message.apns.payload", "Invalid value at 'message.apns.payload': an object is expected.")
    }
  }

  private static func checkSize(_ message: RawJSON, isTopic: Bool) throws(FCMFailure) {
    let android = message["android"]
    let data = [message["data"], android?["data"]].compactMap { $0 }.flatMap(\.members)
    let texts = [message["notification"], android?["notification"]].compactMap { $0 }.flatMap(\.members)
    let size = (data + texts).reduce(0) {
      $0 + $1.name.utf8.count + ($1.value.stringValue?.utf8.count ?? $1.value.bytes.count)
    }
    guard size <= (isTopic ? sizeLimit / 2 : sizeLimit) else {
      throw .field("message", "Message is too big: \(size) bytes.")
    }
  }
}
