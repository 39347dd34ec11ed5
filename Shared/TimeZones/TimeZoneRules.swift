import Formats

/// The clock changes of one IANA time zone, from its first known one to the far future.
///
/// Instants are seconds since 1970-01-01T00:00:00Z without leap seconds. They come from the compiled zone files that
/// Debian's package tzdata installs below `/usr/share/zoneinfo`, or below `TZDIR`. An instant more than 100 million
/// days from 1970 counts as the last one within them.
package struct TimeZoneRules: Sendable {
  /// The name it was made from, such as `Europe/Berlin`.
  package let identifier: String

  let transitions: [Int64]
  let settingIndices: [Int]
  let settings: [ZoneFile.Setting]
  let footer: PosixZone?

  /// Coordinated Universal Time.
  ///
  /// It needs no zone file.
  package static let utc = Self(utc: "UTC")

  /// Reads the rules of a zone by its name, old names such as `US/Eastern` included.
  ///
  /// Names are case-sensitive. `UTC` and `Etc/UTC` need no database.
  package init(identifier: String) throws(UnknownTimeZone) {
    try self.init(identifier: identifier, database: .system)
  }

  /// Reads the rules of a zone by its name in any case, as PostgreSQL does: `europe/berlin` is `Europe/Berlin`.
  package init(anyCase name: String) throws(UnknownTimeZone) {
    try self.init(anyCase: name, database: .system)
  }

  init(anyCase name: String, database: ZoneDatabase) throws(UnknownTimeZone) {
    do {
      try self.init(identifier: name, database: database)
    } catch {
      guard case .notFound = error.reason, let identifier = database.name(inAnyCase: name) else { throw error }
      try self.init(identifier: identifier, database: database)
    }
  }

  init(identifier: String, database: ZoneDatabase) throws(UnknownTimeZone) {
    if identifier == "UTC" || identifier == "Etc/UTC" {
      self.init(utc: identifier)
      return
    }
    let bytes = try database.contents(of: identifier)
    do {
      self.init(identifier: identifier, file: try ZoneFile(bytes))
    } catch {
      throw UnknownTimeZone(identifier: identifier, reason: .unreadable(error.reason))
    }
  }

  init(identifier: String, file: ZoneFile) {
    self.identifier = identifier
    transitions = file.transitions
    settingIndices = file.settingIndices
    settings = file.settings
    footer = file.footer
  }

  private init(utc identifier: String) {
    self.identifier = identifier
    transitions = []
    settingIndices = []
    settings = [.init(offset: 0, abbreviation: "UTC")]
    footer = nil
  }

  /// Seconds to add to UTC at an instant; positive east of Greenwich.
  package func offset(at instant: Int64) -> Int32 { period(at: instant).offset }

  /// The date and time that a clock on the wall shows at an instant.
  package func civilTime(at instant: Int64) -> CivilTime {
    CivilTime(secondsSinceEpoch: Self.bounded(instant) + Int64(offset(at: instant)))
  }

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

  /// The first instant at which the clock shows a time; if it skips the time, the first one after the gap.
  package func instant(of time: CivilTime) -> Int64 {
    let wall = Self.bounded(time.secondsSinceEpoch)
    // No clock is two days away from UTC's.
    var period = period(at: wall - 2 * 86_400)
    while let end = period.end, wall - Int64(period.offset) >= end { period = self.period(at: end) }
    let instant = wall - Int64(period.offset)
    return max(instant, period.start ?? instant)
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

  /// An instant as the zone's clock shows it, in RFC 3339: `2026-03-08T03:00:00-04:00`.
  ///
  /// An offset before standard time may not be a whole minute. It keeps its seconds, for which RFC 3339 has no place.
  package func rfc3339(at instant: Int64) -> String {
    let civil = civilTime(at: instant)
    let day = [padded(civil.date.year, 4), padded(civil.date.month, 2), padded(civil.date.day, 2)]
    let clock = [civil.hour, civil.minute, civil.second].map { padded($0, 2) }
    return "\(day.joined(separator: "-"))T\(clock.joined(separator: ":"))\(offsetText(Int(offset(at: instant))))"
  }

  private func offsetText(_ offset: Int) -> String {
    guard offset != 0 else { return "Z" }
    let parts = [abs(offset) / 3_600, abs(offset) / 60 % 60, abs(offset) % 60]
    let shown = parts[2] == 0 ? parts.dropLast() : parts[...]
    return (offset < 0 ? "-" : "+") + shown.map { padded($0, 2) }.joined(separator: ":")
  }

  private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(abs(number))
    return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
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

/// A time zone that has no rules here.
package struct UnknownTimeZone: Error, Hashable, CustomStringConvertible {
  /// Why there are none.
  package enum Reason: Sendable, Hashable {
    /// The text cannot be the name of a zone.
    case malformedName
    /// The database at this path does not have the zone.
    case notFound(database: String)
    /// There is no database at this path.
    case databaseMissing(path: String)
    /// The zone's file cannot be read or is not a zone file.
    case unreadable(String)
  }

  /// The name as it was given.
  package let identifier: String
  /// The kind of fault.
  package let reason: Reason

  /// One or two sentences for the person who wrote the name.
  package var description: String {
    switch reason {
    case .malformedName:
      #""\#(identifier)" cannot be a time zone; names look like "Europe/Berlin" or "UTC"."#
    case .notFound(let database):
      #"There is no time zone "\#(identifier)" in \#(database). Names are case-sensitive, like "Europe/Berlin"; "#
        + #"old ones, like "US/Eastern", are in the package tzdata-legacy from Debian 13 on."#
    case .databaseMissing(let path):
      #"The rules of time zone "\#(identifier)" are missing: there is no \#(path). Install the package tzdata."#
    case .unreadable(let detail):
      #"The rules of time zone "\#(identifier)" cannot be read: \#(detail)."#
    }
  }
}
