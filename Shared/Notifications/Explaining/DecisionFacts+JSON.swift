import Formats
import FoundationEssentials

extension DecisionFacts {
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
