package import TimeZones

extension CronSchedule {
  /// How a change of the zone's clock affects a fire.
  package enum ClockChange: Hashable {
    /// It fires for fixed times that the clock skipped, and also for its own time if that is one of the schedule's.
    case madeUp(skipped: [CivilTime], isOwnTime: Bool)
    /// The clock shows this time twice; a fixed time fires only at the first.
    case firstOfTwo(firesAgain: Bool)
    case secondOfTwo
  }

  /// How a change of the clock affects a fire; nil on ordinary days.
  package func clockChange(at fire: Int64) -> ClockChange? {
    let period = zone.period(at: fire)
    if let start = period.start {
      let shift = Int64(period.offset) - Int64(zone.offset(at: start - 1))
      if fire == start, isMadeUp(at: start, offset: period.offset, shift: shift), !expression.followsElapsedTime {
        let civil = fire + Int64(period.offset)
        return .madeUp(
          skipped: matches(from: civil - shift, before: civil),
          isOwnTime: expression.first(from: civil, before: civil + 1) != nil)
      }
      if fire < start - shift { return .secondOfTwo }
    }
    if let end = period.end, fire >= end + Int64(zone.offset(at: end)) - Int64(period.offset) {
      return .firstOfTwo(firesAgain: expression.followsElapsedTime)
    }
    return nil
  }

  private func matches(from start: Int64, before end: Int64) -> [CivilTime] {
    var (found, next) = ([CivilTime](), start)
    while let match = expression.first(from: next, before: end) {
      found.append(CivilTime(secondsSinceEpoch: match))
      next = match + 1
    }
    return found
  }
}
