/// A fault of the service: which pushes it befalls, and what becomes of them.
package struct Fault: Sendable {
  package let id: Int
  package let rule: Rule
  /// How many pushes the rule was for.
  private(set) var matched = 0
  /// How many of them it befell.
  private(set) var fired = 0
  private var attempts: [String: Int] = [:]

  /// Which pushes a fault befalls.
  package struct Rule: Sendable, Equatable {
    package var effect: Effect
    package var tokens: Glob?
    package var service: Service?
    package var topic: String?
    package var pushType: String?
    /// How many of a hundred.
    package var percent = 100.0
    /// Decides which of a hundred these are.
    package var seed = 0
    /// How many are let pass before.
    package var after = 0
    /// How many it befalls in all.
    package var times: Int?
    /// How many of one token's.
    package var perToken: Int?
  }

  package init(id: Int, rule: Rule, matched: Int = 0, fired: Int = 0) {
    (self.id, self.rule, self.matched, self.fired) = (id, rule, matched, fired)
  }

  /// What becomes of a push, if the fault befalls it.
  ///
  /// A share of a hundred is drawn by seed, token, and which attempt for that token this is: the same in every run,
  /// however the pushes of many devices mix.
  package mutating func effect(on push: Target) -> Effect? {
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
    // FNV-1a, finished as SplitMix64 does: `Hasher` gives other numbers in each process.
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
  /// What a fault is asked about.
  package struct Target: Sendable {
    package var service: Service
    package var token: String
    package var topic: String?
    package var pushType: String?

    package init(service: Service, token: String, topic: String? = nil, pushType: String? = nil) {
      (self.service, self.token, self.topic, self.pushType) = (service, token, topic, pushType)
    }
  }
}

extension Fault.Rule {
  package func matches(_ push: Fault.Target) -> Bool {
    service ?? (push.service == .oauth ? nil : push.service) == push.service
      && topic ?? push.topic == push.topic && pushType ?? push.pushType == push.pushType
      && tokens?.matches(push.token) ?? true
  }
}
