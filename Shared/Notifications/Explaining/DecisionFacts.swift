import Formats
package import FoundationEssentials

/// The facts of a decision that are not the usual ones; with them the gates can be asked again.
///
/// `decisions.facts` and `notification_rechecks.facts` store it as JSON; instants are seconds since 1970.
package struct DecisionFacts: Sendable, Equatable, Decodable {
  var isActor: Bool?
  var isEnabled: Bool?
  var level: String?
  var override: Bool?
  /// Whether the override is a proposal's own.
  var ofProposal: Bool?
  var personal: Bool?
  var eligibility: String?
  var wasNotified: Bool?
  var isViewing: Bool?
  /// The number of active devices, unless it is 1.
  var devices: Int?
  /// When the open window ends.
  var windowEnd: Double?
  var opener: UUID?
  /// The first minute of the quiet hours and the first one after them.
  var quietHours: [Int]?
  var timeZone: String?
  var mutedUntil: Double?
  var quietUntil: Double?
  /// The hourly limit of pushes, unless it is the app's default; -1 for no limit.
  var hourlyLimit: Int?
  /// When the pushes of the last hour went out, if they count.
  var recentPushes: [Double]?
  var heldSince: Double?
  /// When the push would have become pointless, unless that is a day later.
  var expiry: Double?

  /// The facts behind a decision on a candidate for a notification of a kind.
  /// - Parameter expiry: when it would have become pointless.
  package init(_ candidate: Candidate, of kind: Kind, until expiry: Date, decided decision: Decision, at now: Date) {
    isActor = candidate.isActor ? true : nil
    isEnabled = candidate.isEnabled ? nil : false
    level = candidate.level == .all ? nil : candidate.level.rawValue
    override = candidate.override
    ofProposal = candidate.isOverrideOfProposal ? true : nil
    // A switch that is on by default and was left on is no choice; off by choice differs from off by default.
    personal = candidate.personal == true && kind.isOnByDefault ? nil : candidate.personal
    eligibility = candidate.eligibility == .open ? nil : candidate.eligibility.rawValue
    wasNotified = decision == .suppress(.duplicate) ? true : nil
    isViewing = candidate.isViewing ? true : nil
    devices = candidate.devices.count == 1 ? nil : candidate.devices.count
    if kind.batches(for: candidate.reason), let window = candidate.openWindow {
      (windowEnd, opener) = (window.end.timeIntervalSince1970, window.opener)
    }
    if let hours = candidate.quietHours {
      (quietHours, timeZone) = ([hours.startMinute, hours.endMinute], hours.timeZone)
    }
    mutedUntil = candidate.mutedUntil?.timeIntervalSince1970
    quietUntil = candidate.quietUntil?.timeIntervalSince1970
    if candidate.hourlyLimit != kind.app.profile.hourlyLimit { hourlyLimit = candidate.hourlyLimit ?? -1 }
    if candidate.hourlyLimit != nil, !kind.isPressing {
      let pushes = candidate.recentPushes.filter { now.timeIntervalSince($0) < HourlyLimit.window }.sorted()
      recentPushes = pushes.isEmpty ? nil : pushes.map(\.timeIntervalSince1970)
    }
    heldSince = candidate.heldSince?.timeIntervalSince1970
    if expiry != Self.usualExpiry(at: now) { self.expiry = expiry.timeIntervalSince1970 }
  }

  /// The usual facts.
  package init() {}

  /// The candidate as the gates saw it.
  ///
  /// It has the same number of devices as then, with ids that belong to no device.
  package func candidate(_ user: UUID, about subject: String, as reason: RecipientReason, for kind: Kind) -> Candidate {
    var candidate = Candidate(user: user, subjectID: subject, reason: reason)
    candidate.isActor = isActor ?? false
    candidate.isEnabled = isEnabled ?? true
    candidate.level = level.flatMap(Candidate.Level.init) ?? .all
    (candidate.override, candidate.personal) = (override, personal)
    candidate.isOverrideOfProposal = ofProposal ?? false
    candidate.eligibility = eligibility.flatMap(Candidate.Eligibility.init) ?? .open
    candidate.wasNotified = wasNotified ?? false
    candidate.isViewing = isViewing ?? false
    candidate.devices = Array(repeating: user, count: max(0, devices ?? 1))
    candidate.openWindow = windowEnd.map { .init(opener: opener, end: Date(timeIntervalSince1970: $0)) }
    if let quietHours, quietHours.count == 2 {
      candidate.quietHours = QuietHours(startMinute: quietHours[0], endMinute: quietHours[1], timeZone: timeZone)
    }
    candidate.timeZone = timeZone
    candidate.mutedUntil = mutedUntil.map(Date.init(timeIntervalSince1970:))
    candidate.quietUntil = quietUntil.map(Date.init(timeIntervalSince1970:))
    candidate.hourlyLimit = hourlyLimit.map { $0 < 0 ? nil : $0 } ?? kind.app.profile.hourlyLimit
    candidate.recentPushes = (recentPushes ?? []).map(Date.init(timeIntervalSince1970:))
    candidate.heldSince = heldSince.map(Date.init(timeIntervalSince1970:))
    return candidate
  }

  /// When the push would have become pointless.
  package func expiry(at now: Date) -> Date {
    expiry.map(Date.init(timeIntervalSince1970:)) ?? Self.usualExpiry(at: now)
  }

  private static func usualExpiry(at now: Date) -> Date { now.addingTimeInterval(86_400) }

  enum CodingKeys: String, CodingKey {
    case isActor = "actor"
    case isEnabled = "enabled"
    case level, override, ofProposal, personal
    case eligibility
    case wasNotified = "notified"
    case isViewing = "viewing"
    case devices, windowEnd, opener, quietHours, timeZone, mutedUntil, quietUntil, hourlyLimit, recentPushes, heldSince,
      expiry
  }

  /// The facts as a JSON object; `nil` if all of them are the usual ones.
  ///
  /// It does not use an encoder, which would take most of the time of a decision.
  package var json: String? {
    var members: [String] = []
    func add(_ key: CodingKeys, _ value: (some CustomStringConvertible)?) {
      if let value { members.append("\"\(key.rawValue)\":\(value)") }
    }
    func add(text: String?, _ key: CodingKeys) { add(key, text.map(Self.quoted)) }
    add(.isActor, isActor)
    add(.isEnabled, isEnabled)
    add(text: level, .level)
    add(.override, override)
    add(.ofProposal, ofProposal)
    add(.personal, personal)
    add(text: eligibility, .eligibility)
    add(.wasNotified, wasNotified)
    add(.isViewing, isViewing)
    add(.devices, devices)
    add(.windowEnd, windowEnd)
    add(text: opener?.lowercased, .opener)
    add(.quietHours, quietHours)
    add(text: timeZone, .timeZone)
    add(.mutedUntil, mutedUntil)
    add(.quietUntil, quietUntil)
    add(.hourlyLimit, hourlyLimit)
    add(.recentPushes, recentPushes)
    add(.heldSince, heldSince)
    add(.expiry, expiry)
    return members.isEmpty ? nil : "{\(members.joined(separator: ","))}"
  }

  /// Reads what ``json`` wrote; `nil` means the usual facts.
  /// - Throws: the decoder's error.
  package init(json: String?) throws {
    guard let json else {
      self.init()
      return
    }
    self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.reduce(into: "") { escaped, scalar in
      if scalar == "\"" || scalar == "\\" { escaped += "\\" }
      escaped.unicodeScalars.append(scalar.properties.generalCategory == .control ? "?" : scalar)
    }
    return "\"\(escaped)\""
  }
}
