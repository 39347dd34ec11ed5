import Formats

extension TimeZoneRules {
  /// A period while the clock is not set.
  package struct Period: Sendable, Hashable {
    /// Its first instant; nil when it has none.
    package let start: Int64?
    /// The first instant after it; nil when it never ends.
    package let end: Int64?
    /// Seconds to add to UTC; positive east of Greenwich.
    package let offset: Int32
    /// The name of the clock's setting, such as `CEST` or `+0545`.
    package let abbreviation: String
  }

  /// The period that an instant lies in.
  ///
  /// Two periods in a row may have the same offset, if only the abbreviation changed.
  package func period(at instant: Int64) -> Period {
    let instant = Self.bounded(instant)
    if let last = transitions.last, instant < last { return tabledPeriod(at: instant) }
    guard let footer else {
      return Period(start: transitions.last, end: nil, setting: settings[settingIndices.last ?? 0])
    }
    return footer.period(at: instant, from: transitions.last)
  }

  private func tabledPeriod(at instant: Int64) -> Period {
    var next = 0
    var bound = transitions.count - 1
    while next < bound {
      let middle = (next + bound) / 2
      if transitions[middle] > instant { bound = middle } else { next = middle + 1 }
    }
    guard next > 0 else { return Period(start: nil, end: transitions[0], setting: settings[0]) }
    return Period(
      start: transitions[next - 1], end: transitions[next], setting: settings[settingIndices[next - 1]])
  }

  /// The instant, or the farthest one that has a calendar day here.
  static func bounded(_ instant: Int64) -> Int64 { min(max(instant, -farthest), farthest) }

  private static let farthest: Int64 = 100_000_000 * 86_400
}

extension PosixZone {
  /// The period of an instant at or after the file's last transition, where the rules begin.
  fileprivate func period(at instant: Int64, from beginning: Int64?) -> TimeZoneRules.Period {
    let year = CivilTime(secondsSinceEpoch: instant).date.year
    let changes = settings(in: year - 1...year + 1)
    guard let next = changes.firstIndex(where: { $0.instant > instant }), next > 0 else {
      return .init(start: beginning, end: nil, setting: standard)
    }
    let start = changes[next - 1]
    return .init(
      start: max(start.instant, beginning ?? start.instant), end: changes[next].instant, setting: start.setting)
  }
}

extension TimeZoneRules.Period {
  fileprivate init(start: Int64?, end: Int64?, setting: ZoneFile.Setting) {
    self.init(start: start, end: end, offset: setting.offset, abbreviation: setting.abbreviation)
  }
}
