package import TimeZones

/// The rules of the time zones that one run needs, each read once.
package struct Zones: Sendable {
  private var known: [String: TimeZoneRules] = [:]

  package init() {}

  /// The rules of a zone, an IANA name in any case; UTC's if it is `nil` or unknown.
  package mutating func rules(of identifier: String?) -> TimeZoneRules {
    guard let identifier else { return .utc }
    if let rules = known[identifier] { return rules }
    let rules = (try? TimeZoneRules(anyCase: identifier)) ?? .utc
    known[identifier] = rules
    return rules
  }
}
