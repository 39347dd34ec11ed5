import FunctionKit

/// The effect of a push: its answer, the time of the answer, and whether the push is accepted.
struct Effect: Sendable, Equatable {
  var answer: Answer
  /// The delay of the answer, in milliseconds.
  ///
  /// A push is accepted when it is answered, or at once with ``takesFirst``. If its connection ends before, it is not.
  var delay: Int?
  /// Whether the push reaches the device, if the answer means the opposite or nothing.
  var taken: Bool?

  static let accepted = Effect(.accepted)

  init(_ answer: Answer, delay: Int? = nil, taken: Bool? = nil) {
    (self.answer, self.delay, self.taken) = (answer, delay, taken)
  }

  /// Whether the push reaches the device.
  var isTaken: Bool { taken ?? answer.isTaken }

  /// Whether it does so at once, before the answer.
  var takesFirst: Bool { taken == true }
}

extension Effect {
  /// Reads an answer: `"accept"`, `"never"`, `"drop"`, or an object with one of `status`, `reset`, `goaway`, `never`
  /// and `drop`, and with `delay` and `taken`.
  ///
  /// - Throws: a sentence that names the field.
  init(_ json: RawJSON) throws(BadRequest) {
    switch json.stringValue {
    case "accept": self.init(.accepted)
    case "never": self.init(.silence)
    case "drop": self.init(.drop)
    default:
      guard json.kind == .object else { throw Self.unknown }
      try json.checkMembers(Self.members)
      self.init(
        try Self.answer(json), delay: try json.number("delay", in: 0...Self.longestDelay), taken: try json.flag("taken")
      )
    }
  }

  private static let members =
    ["status", "reason", "timestamp", "retryAfter", "reset", "goaway", "never", "drop"] + ["delay", "taken"]

  /// Ten minutes, in milliseconds.
  private static let longestDelay = 600_000

  private static let unknown = BadRequest(
    "An answer is \"accept\", \"never\", \"drop\" or an object with status, reset, goaway, never, drop or delay.")

  private static func answer(_ json: RawJSON) throws(BadRequest) -> Answer {
    if try json.flag("never") == true { return .silence }
    if try json.flag("drop") == true { return .drop }
    if let reset = json["reset"] { return .reset(code: try code(reset, "reset")) }
    if let goAway = json["goaway"] { return .goAway(try self.goAway(goAway)) }
    guard let status = try json.number("status", in: 200...599) else {
      guard json["delay"] != nil || json["taken"] != nil else { throw unknown }
      return .accepted
    }
    guard status != 200 else { return .accepted }
    guard let reason = try json.text("reason") else { throw BadRequest("An answer other than 200 has a reason.") }
    return .refused(
      status: status, reason: reason, timestamp: try json.number("timestamp", in: 0...Int.max),
      retryAfter: try json.number("retryAfter", in: 0...Int(Int32.max)))
  }

  private static func goAway(_ json: RawJSON) throws(BadRequest) -> Answer.GoAway {
    guard json.kind == .object else { throw BadRequest("goaway must be an object.") }
    try json.checkMembers(["reason", "code", "skip"])
    return Answer.GoAway(
      reason: try json.text("reason"),
      code: try json["code"].map { json throws(BadRequest) in try code(json, "code") } ?? 0,
      skip: try json.number("skip", in: 0...100_000) ?? 0)
  }

  private static func code(_ json: RawJSON, _ name: String) throws(BadRequest) -> UInt32 {
    if let code = json.stringValue.flatMap(StreamErrorCode.init(name:)) { return code.rawValue }
    guard let code = json.intValue.flatMap(UInt32.init(exactly:)) else {
      throw BadRequest("\(name) must be a number or a name of RFC 9113 §7, such as REFUSED_STREAM.")
    }
    return code
  }
}

extension Effect {
  /// The form that ``init(_:)`` reads.
  var json: RawJSON {
    var members = answer.members
    if let delay { members.append(("delay", RawJSON(delay))) }
    if let taken { members.append(("taken", RawJSON(taken))) }
    return RawJSON(object: members)
  }
}

extension Answer {
  fileprivate var members: [(String, RawJSON)] {
    switch self {
    case .accepted: return [("status", RawJSON(200))]
    case .refused(let status, let reason, let timestamp, let retryAfter):
      let optional = [("timestamp", timestamp), ("retryAfter", retryAfter)]
      return [("status", RawJSON(status)), ("reason", RawJSON(reason))]
        + optional.compactMap { name, value in value.map { (name, RawJSON($0)) } }
    case .silence: return [("never", RawJSON(true))]
    case .drop: return [("drop", RawJSON(true))]
    case .reset(let code): return [("reset", RawJSON(Int(code)))]
    case .goAway(let goAway):
      let reason = goAway.reason.map { [("reason", RawJSON($0))] } ?? []
      let rest = [("code", RawJSON(Int(goAway.code))), ("skip", RawJSON(goAway.skip))]
      return [("goaway", RawJSON(object: reason + rest))]
    }
  }
}
