import FunctionKit

/// A fault of the service: the pushes that it hits, and its effect on them.
struct Fault: Sendable {
  let id: Int
  let rule: Rule
  /// How many pushes the rule has matched.
  private(set) var matched = 0
  /// How many of them it has hit.
  private(set) var fired = 0
  private var attempts: [String: Int] = [:]

  /// The pushes that a fault hits.
  struct Rule: Sendable, Equatable {
    var effect: Effect
    var tokens: Glob?
    var service: Service?
    var topic: String?
    var pushType: String?
    /// The share of the pushes, in percent.
    var percent = 100.0
    /// The seed that decides which pushes these are.
    var seed = 0
    /// How many pushes pass first.
    var after = 0
    /// How many pushes it hits in all.
    var times: Int?
    /// How many pushes of one token it hits.
    var perToken: Int?
  }

  init(id: Int, rule: Rule, matched: Int = 0, fired: Int = 0) {
    (self.id, self.rule, self.matched, self.fired) = (id, rule, matched, fired)
  }

  /// The effect on a push; `nil` if the fault does not hit it.
  ///
  /// A percentage is drawn from the seed, the token and the number of the attempt for that token. So it is the same in
  /// every run, even if the pushes of many devices mix in another way.
  mutating func effect(on push: Target) -> Effect? {
    guard rule.matches(push) else { return nil }
    matched += 1
    guard matched > rule.after, rule.times.map({ fired < $0 }) ?? true else { return nil }
    if rule.percent < 100 || rule.perToken != nil {
      let attempt = attempts[push.token, default: 0]
      attempts[push.token] = attempt + 1
      guard rule.perToken.map({ attempt < $0 }) ?? true, draw(push.token, attempt) < rule.percent else { return nil }
    }
    fired += 1
    return rule.effect
  }

  /// A number from 0 to below 100.
  private func draw(_ token: String, _ attempt: Int) -> Double {
    guard rule.percent < 100 else { return 0 }
    // FNV-1a with the end of SplitMix64, because `Hasher` gives other numbers in each process.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in token.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for number in [rule.seed, id, attempt] { hash = Self.mixed(hash &+ UInt64(bitPattern: Int64(number))) }
    return Double(hash >> 11) / Double(1 << 53) * 100
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9e37_79b9_7f4a_7c15
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}

extension Fault {
  /// The facts of a push that a fault needs.
  struct Target: Sendable {
    var service: Service
    var token: String
    var topic: String?
    var pushType: String?
  }
}

extension Fault.Rule {
  func matches(_ push: Fault.Target) -> Bool {
    service ?? (push.service.isHitByNameOnly ? nil : push.service) == push.service
      && topic ?? push.topic == push.topic && pushType ?? push.pushType == push.pushType
      && tokens?.matches(push.token) ?? true
  }
}

extension Fault.Rule {
  /// Reads the body of `POST /faults`.
  ///
  /// - Throws: a sentence that names the field.
  init(_ json: RawJSON) throws(BadRequest) {
    try json.checkMembers([
      "answer", "tokens", "service", "topic", "pushType", "percent", "seed", "after", "times", "perToken", "id",
      "matched", "fired",
    ])
    guard let answer = json.field("answer") else { throw BadRequest("answer is missing: what becomes of the push.") }
    self.init(effect: try Effect(answer))
    tokens = try json.text("tokens").map(Glob.init)
    if let name = try json.text("service") {
      guard let service = Service(rawValue: name) else {
        throw BadRequest("service must be apns, fcm, oauth or channels.")
      }
      self.service = service
    }
    topic = try json.text("topic")
    pushType = try json.text("pushType")
    percent = try json.decimal("percent", in: 0...100) ?? 100
    seed = try json.number("seed", in: Int.min...Int.max) ?? 0
    after = try json.number("after", in: 0...Int.max) ?? 0
    times = try json.number("times", in: 1...Int.max)
    perToken = try json.number("perToken", in: 1...Int.max)
  }

  fileprivate var members: [(String, RawJSON?)] {
    [
      ("answer", effect.json), ("tokens", (tokens?.text).map { RawJSON($0) }),
      ("service", service.map { RawJSON($0.rawValue) }), ("topic", topic.map { RawJSON($0) }),
      ("pushType", pushType.map { RawJSON($0) }),
      ("percent", percent == 100 ? nil : RawJSON(trusting: Array("\(percent)".utf8))),
      ("seed", seed == 0 ? nil : RawJSON(seed)), ("after", after == 0 ? nil : RawJSON(after)),
      ("times", times.map { RawJSON($0) }), ("perToken", perToken.map { RawJSON($0) }),
    ]
  }
}

extension Fault {
  /// The fault for `GET /faults`.
  var json: RawJSON {
    let counts: [(String, RawJSON?)] = [("matched", RawJSON(matched)), ("fired", RawJSON(fired))]
    let members = [("id", RawJSON(id))] + rule.members + counts
    return RawJSON(object: members.compactMap { name, value in value.map { (name, $0) } })
  }

  /// Reads the form of ``json``.
  init(_ json: RawJSON) throws(BadRequest) {
    guard let id = try json.number("id", in: 1...Int.max) else { throw BadRequest("A fault of a snapshot has an id.") }
    self.init(
      id: id, rule: try Rule(json), matched: try json.number("matched", in: 0...Int.max) ?? 0,
      fired: try json.number("fired", in: 0...Int.max) ?? 0)
  }
}
