import Formats

/// The query of `GET /pushes` and `GET /devices`.
struct PushQuery: Sendable, Equatable {
  /// Only pushes after this number.
  var since = 0
  /// Only pushes of some devices: of those that one of these fits; those for their Live Activities, too.
  var tokens: [Glob] = []
  /// Only pushes of one kind.
  var kind: String?
  var topic: String?
  var pushType: String?
  var collapseID: String?
  /// Only broadcasts on one channel.
  var channel: String?
  /// The status that the sender saw; 0 for no answer.
  var status: Int?
  var reason: String?
  var isTaken: Bool?
  var connection: Int?
  var service: Service?
  var keyID: String?
  /// Only this many of the newest.
  var last: Int?
  /// How many notifications of each device to return, the newest.
  var notes: Int?
  /// The most pushes to return.
  var limit = Int.max
  /// How many pushes to wait for.
  var count = 1
  /// How long to wait for them.
  var wait = Duration.zero

  /// The longest wait for a push.
  ///
  /// A caller that wants more asks again.
  static let longestWait = 60

  init() {}

  /// Reads `name=value&…` with percent-encoding.
  ///
  /// - Throws: a sentence that names the parameter.
  init(_ text: Substring) throws(BadRequest) {
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let value = PercentEncoding.formText(parts[1]) else {
        throw BadRequest("The query is not name=value.")
      }
      if !value.isEmpty { try read(parts[0], value) }
    }
  }

  private mutating func read(_ name: Substring, _ value: String) throws(BadRequest) {
    switch name {
    case "since": since = try Self.number(value, "since", 0...Int.max)
    case "token": tokens.append(Glob(value))
    case "kind": kind = value
    case "topic": topic = value
    case "type": pushType = value
    case "collapse": collapseID = value
    case "channel": channel = value
    case "status": status = try Self.number(value, "status", 0...599)
    case "reason": reason = value
    case "taken":
      guard let isTaken = Bool(value) else { throw BadRequest("taken must be true or false.") }
      self.isTaken = isTaken
    case "connection": connection = try Self.number(value, "connection", 1...Int.max)
    case "provider":
      guard let service = Service(rawValue: value) else { throw BadRequest("provider must be apns or fcm.") }
      self.service = service
    case "key": keyID = value
    case "last": last = try Self.number(value, "last", 1...Int.max)
    case "notes": notes = try Self.number(value, "notes", 1...Int.max)
    case "limit": limit = try Self.number(value, "limit", 1...Int.max)
    case "count": count = try Self.number(value, "count", 1...Int.max)
    case "wait": wait = .seconds(try Self.number(value, "wait", 0...Self.longestWait))
    default: throw BadRequest("There is no parameter \(name).")
    }
  }

  /// Whether a device is one of those.
  func fits(_ token: String) -> Bool { tokens.isEmpty || tokens.contains { $0.matches(token) } }

  func matches(_ record: PushRecord) -> Bool {
    service ?? record.service == record.service && kind ?? record.kind == record.kind
      && connection ?? record.connection == record.connection && isTaken ?? record.isTaken == record.isTaken
      && (status == nil || status == record.status ?? 0) && (reason == nil || reason == record.reason)
      && (topic == nil || topic == record.topic) && (pushType == nil || pushType == record.pushType)
      && (collapseID == nil || collapseID == record.collapseID) && (keyID == nil || keyID == record.keyID)
      && (channel == nil || channel == record.channel)
      && (fits(record.token) || record.phoneOfActivity.map(fits) ?? false)
  }

  private static func number(_ text: String, _ name: String, _ range: ClosedRange<Int>) throws(BadRequest) -> Int {
    guard let number = PushRules.number(text), range.contains(number) else {
      let most = range.upperBound == .max ? "on" : "to \(range.upperBound)"
      throw BadRequest("\(name) must be a whole number from \(range.lowerBound) \(most).")
    }
    return number
  }
}
