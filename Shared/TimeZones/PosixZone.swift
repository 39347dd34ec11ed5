import Formats

/// The rules of a POSIX `TZ` string, such as `CET-1CEST,M3.5.0,M10.5.0/3`; they never end.
///
/// Hours of a change run from -167 to 167, as RFC 9636 §3.3.1 extends POSIX.
struct PosixZone: Hashable {
  /// The part of the year that has another setting.
  struct Daylight: Hashable {
    let setting: ZoneFile.Setting
    let start: Change
    let end: Change
  }

  /// When the clock is set in a year.
  struct Change: Hashable {
    let day: Day
    /// Seconds after midnight of that day, on the clock that holds until then.
    let time: Int

    enum Day: Hashable {
      /// `Jn`: 1 to 365; February 29 is never counted.
      case julian(Int)
      /// `n`: 0 to 365; February 29 is counted.
      case ordinal(Int)
      /// `Mm.w.d`: the weekday's first to fourth, or last (5), occurrence in the month.
      case weekday(month: Int, week: Int, weekday: Int)
    }
  }

  let standard: ZoneFile.Setting
  let daylight: Daylight?

  /// The settings of the clock from one year to another, in order; none when it is never set.
  func settings(in years: ClosedRange<Int>) -> [(instant: Int64, setting: ZoneFile.Setting)] {
    guard let daylight else { return [] }
    // The sort is stable: daylight saving that ends when the next year's begins goes on without a break.
    return years.flatMap { year in
      [
        (daylight.start.instant(in: year, at: standard.offset), daylight.setting),
        (daylight.end.instant(in: year, at: daylight.setting.offset), standard),
      ]
    }.sorted { $0.0 < $1.0 }
  }
}

extension PosixZone.Change {
  func instant(in year: Int, at offset: Int32) -> Int64 {
    Int64(day.daysSinceEpoch(in: year)) * 86_400 + Int64(time) - Int64(offset)
  }
}

extension PosixZone.Change.Day {
  func daysSinceEpoch(in year: Int) -> Int {
    switch self {
    case .julian(let day):
      let leapDay = CivilDate.isLeap(year) && day >= 60 ? 1 : 0
      return CivilDate(year: year, month: 1, day: 1).daysSinceEpoch + day - 1 + leapDay
    case .ordinal(let day):
      return CivilDate(year: year, month: 1, day: 1).daysSinceEpoch + day
    case .weekday(let month, let week, let weekday):
      let first = CivilDate(year: year, month: month, day: 1)
      let day = (weekday - first.weekday + 7) % 7 + (week - 1) * 7
      let isPastEnd = day >= CivilDate.length(ofMonth: month, in: year)
      return first.daysSinceEpoch + (isPastEnd ? day - 7 : day)
    }
  }
}

extension PosixZone {
  init(_ text: String) throws(MalformedZoneFile) {
    var scanner = PosixZoneScanner(text)
    guard let zone = scanner.zone(), scanner.isAtEnd else {
      throw MalformedZoneFile(reason: "its footer \"\(text)\" is not a POSIX time zone")
    }
    self = zone
  }
}

/// Reads the parts of a POSIX `TZ` string from left to right; nil where one is malformed.
private struct PosixZoneScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = text[...].utf8
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func zone() -> PosixZone? {
    guard let name = name(), let west = duration(hours: 0...24) else { return nil }
    let standard = ZoneFile.Setting(offset: Int32(-west), abbreviation: name)
    if isAtEnd { return PosixZone(standard: standard, daylight: nil) }

    guard let daylightName = self.name() else { return nil }
    var offset = standard.offset + 3_600
    if rest.first != UInt8(ascii: ",") {
      guard let west = duration(hours: 0...24) else { return nil }
      offset = Int32(-west)
    }
    guard skip(","), let start = change(), skip(","), let end = change() else { return nil }
    let setting = ZoneFile.Setting(offset: offset, abbreviation: daylightName)
    return PosixZone(standard: standard, daylight: .init(setting: setting, start: start, end: end))
  }

  /// At least three letters, or anything printable between `<` and `>`.
  private mutating func name() -> String? {
    let isQuoted = skip("<")
    let name = rest.prefix { isQuoted ? $0 != UInt8(ascii: ">") : Self.isLetter($0) }
    rest = rest.dropFirst(name.count)
    guard name.count >= 3, !isQuoted || skip(">") else { return nil }
    return String(Substring(name))
  }

  /// `[+-]hh[:mm[:ss]]`, in seconds.
  private mutating func duration(hours: ClosedRange<Int>) -> Int? {
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let hour = number(hours) else { return nil }
    var seconds = hour * 3_600
    for unit in [60, 1] where skip(":") {
      guard let number = number(0...59) else { return nil }
      seconds += number * unit
    }
    return isNegative ? -seconds : seconds
  }

  private mutating func change() -> PosixZone.Change? {
    guard let day = day() else { return nil }
    guard skip("/") else { return .init(day: day, time: 2 * 3_600) }
    return duration(hours: 0...167).map { .init(day: day, time: $0) }
  }

  private mutating func day() -> PosixZone.Change.Day? {
    if skip("J") { return number(1...365).map { .julian($0) } }
    guard skip("M") else { return number(0...365).map { .ordinal($0) } }
    guard let month = number(1...12), skip("."), let week = number(1...5), skip("."), let weekday = number(0...6)
    else { return nil }
    return .weekday(month: month, week: week, weekday: weekday)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest.dropFirst(digits.count)
    return Int(Substring(digits)).flatMap { range.contains($0) ? $0 : nil }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
