/// The question of `GET /pushes` and `GET /devices`.
struct PushQuery: Sendable, Equatable {
  /// Only what came after this number.
  var since = 0
  /// Only one device's.
  var token: String?
  /// Only one kind.
  var kind: String?
  /// Only so many of the newest.
  var last: Int?
  /// How many at most.
  var limit = PushHistory.capacity
  /// How long to wait for a first match.
  var wait = Duration.zero

  /// The longest wait for a push; a caller that wants more asks again.
  static let longestWait = 60

  init() {}

  /// Reads `name=value&…` with percent-encoding.
  ///
  /// - Throws: a sentence that names the parameter.
  init(_ text: Substring) throws(BadRequest) {
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let value = PercentEncoding.decoded(parts[1]) else {
        throw BadRequest("The query is not name=value.")
      }
      guard !value.isEmpty else { continue }
      switch parts[0] {
      case "since": since = try Self.number(value, "since", 0...Int.max)
      case "token": token = value.lowercased()
      case "kind": kind = value
      case "last": last = try Self.number(value, "last", 1...PushHistory.capacity)
      case "limit": limit = try Self.number(value, "limit", 1...PushHistory.capacity)
      case "wait": wait = .seconds(try Self.number(value, "wait", 0...Self.longestWait))
      default: throw BadRequest("There is no parameter \(parts[0]).")
      }
    }
  }

  func matches(_ record: PushRecord) -> Bool {
    (token ?? record.token) == record.token && (kind ?? record.kind) == record.kind
  }

  private static func number(_ text: String, _ name: String, _ range: ClosedRange<Int>) throws(BadRequest) -> Int {
    guard let number = PushRules.number(text), range.contains(number) else {
      throw BadRequest("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
