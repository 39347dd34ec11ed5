import Formats
import TimeZones

/// A cron expression, read as Debian's cron does.
///
/// It selects times of a clock on a wall. `CronSchedule` adds the time zone of that wall.
package struct CronExpression: Hashable {
  /// The expression as it was written.
  package let text: String
  let seconds: CronValues
  let minutes: CronValues
  let hours: CronValues
  let days: CronDays
  /// Whether minute or hour begins with `*`.
  ///
  /// Then it follows the time that passes, even if the clock is changed. Otherwise it has fixed times of day, and each
  /// comes once on each of its days.
  let followsElapsedTime: Bool

  /// The first matching time from one civil time on and before another, both in the seconds of `CivilTime`.
  package func first(from start: Int64, before end: Int64) -> Int64? {
    let start = CivilTime(secondsSinceEpoch: start)
    let lastDate = CivilTime(secondsSinceEpoch: end - 1).date
    var date = start.date
    while let day = days.first(from: date, throughMonthOf: lastDate) {
      if let second = firstSecondOfDay(from: day == start.date ? start.secondOfDay : 0) {
        let match = CivilTime(date: day, secondOfDay: second).secondsSinceEpoch
        return match < end ? match : nil
      }
      date = CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1)
    }
    return nil
  }

  /// Whether all its times are as far apart, in every time zone.
  ///
  /// That is so if they divide each hour of each day evenly, and half an hour, by which a clock may be changed.
  package var isEvenlySpaced: Bool {
    guard followsElapsedTime, days.areAll, (0..<24).allSatisfy(hours.contains) else { return false }
    let times = (0..<3_600).filter { minutes.contains($0 / 60) && seconds.contains($0 % 60) }
    guard times.count > 1 else { return false }
    let step = times[1] - times[0]
    return step * times.count == 3_600 && 1_800.isMultiple(of: step)
      && zip(times, times.dropFirst()).allSatisfy { $1 - $0 == step }
  }

  private func firstSecondOfDay(from earliest: Int) -> Int? {
    first(in: hours, of: 3_600, from: earliest) { earliest in
      first(in: minutes, of: 60, from: earliest) { earliest in seconds.first(from: earliest) }
    }
  }

  /// The first second in the selected units of this length; another search finds the second within a unit.
  private func first(
    in units: CronValues, of length: Int, from earliest: Int, within firstInUnit: (Int) -> Int?
  ) -> Int? {
    let unit = earliest / length
    if units.contains(unit), let second = firstInUnit(earliest % length) { return unit * length + second }
    guard let next = units.first(from: unit + 1), let second = firstInUnit(0) else { return nil }
    return next * length + second
  }
}

extension CronExpression {
  /// Reads five fields (minute, hour, day of month, month, day of week), six with leading seconds, or a nickname.
  ///
  /// A field is a list of `*`, numbers, names and ranges; `*` and ranges may have a step. `L` is the last day of the
  /// month. An expression that is out of bounds, runs backwards or can never fire is refused; cron would ignore it
  /// silently.
  package init(_ text: String) throws(InvalidCronExpression) {
    // The end of the line that somebody copied, or that a program wrote.
    let text = text.lastIndex { !$0.isWhitespace }.map { String(text[...$0]) } ?? ""
    let fields = try Self.fields(of: text)
    let hasSeconds = fields.count == 6
    let names = hasSeconds ? CronField.allCases[...] : CronField.allCases.dropFirst()
    var values: [CronField: CronValues] = [:]
    var includesLastOfMonth = false
    for (index, (field, written)) in zip(names, fields).enumerated() {
      let place = "\(field.name) (field \(index + 1) of \(fields.count))"
      let parser = CronFieldParser(expression: text, field: field, place: place)
      values[field] = try parser.values(of: written, isLastOfMonth: &includesLastOfMonth)
    }

    let clock = fields.suffix(5).prefix(2)
    self.text = text
    seconds = values[.second] ?? [0]
    minutes = values[.minute] ?? []
    hours = values[.hour] ?? []
    followsElapsedTime = clock.contains(where: Self.beginsWithStar)
    days = CronDays(
      ofMonth: values[.dayOfMonth] ?? [], includesLastOfMonth: includesLastOfMonth, months: values[.month] ?? [],
      ofWeek: values[.dayOfWeek] ?? [],
      matchesEither: ![fields[fields.count - 3], fields[fields.count - 1]].contains(where: Self.beginsWithStar))
    guard days.exist else {
      throw InvalidCronExpression(expression: text, reason: "it can never fire, because no year has such a day")
    }
  }

  private static func fields(of text: String) throws(InvalidCronExpression) -> [Substring] {
    let written = text.split { $0 == " " || $0 == "\t" }
    if let first = written.first, let zone = ["TZ=", "CRON_TZ="].first(where: first.hasPrefix) {
      let name = first.dropFirst(zone.count)
      throw InvalidCronExpression(
        expression: text,
        reason: "it has no place for a time zone; write \"timezone\": \"\(name)\" beside it, or --timezone \(name)")
    }
    if let nickname = written.first, nickname.hasPrefix("@") { return try fields(ofNickname: written, in: text) }
    guard written.count == 5 || written.count == 6 else {
      throw InvalidCronExpression(
        expression: text,
        reason: "it has \(written.count) \(written.count == 1 ? "field" : "fields") instead of five, "
          + "or six with leading seconds")
    }
    return written
  }

  private static func fields(
    ofNickname words: [Substring], in text: String
  ) throws(InvalidCronExpression) -> [Substring] {
    guard words.count == 1 else {
      throw InvalidCronExpression(expression: text, reason: "nothing may follow \(words[0])")
    }
    switch words[0].lowercased() {
    case "@hourly": return "0 * * * *".split(separator: " ")
    case "@daily", "@midnight": return "0 0 * * *".split(separator: " ")
    case "@weekly": return "0 0 * * 0".split(separator: " ")
    case "@monthly": return "0 0 1 * *".split(separator: " ")
    case "@yearly", "@annually": return "0 0 1 1 *".split(separator: " ")
    case "@reboot":
      throw InvalidCronExpression(
        expression: text, reason: "@reboot names no time, and functions do not run when the machine starts")
    default:
      throw InvalidCronExpression(
        expression: text,
        reason: "\(words[0]) is not one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually")
    }
  }

  private static func beginsWithStar(_ field: Substring) -> Bool { field.hasPrefix("*") }
}
