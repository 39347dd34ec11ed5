package import Formats

/// The date and time that a calendar and a clock on the wall show, without a time zone.
package struct CivilTime: Sendable, Hashable {
  /// The day.
  package let date: CivilDate
  /// 0 to 86,399.
  package let secondOfDay: Int

  /// A day and the seconds since its midnight, 0 to 86,399.
  package init(date: CivilDate, secondOfDay: Int = 0) {
    self.date = date
    self.secondOfDay = secondOfDay
  }

  /// The civil time that many seconds after 1970-01-01T00:00:00 on the same wall.
  package init(secondsSinceEpoch: Int64) {
    let (days, second) = Int(secondsSinceEpoch).dividedDown(by: 86_400)
    self.init(date: CivilDate(daysSinceEpoch: days), secondOfDay: second)
  }

  /// The seconds since 1970-01-01T00:00:00 on the same wall: UTC's only when the wall shows UTC.
  package var secondsSinceEpoch: Int64 {
    Int64(date.daysSinceEpoch) * 86_400 + Int64(secondOfDay)
  }

  /// 0 to 23.
  package var hour: Int { secondOfDay / 3_600 }
  /// 0 to 59.
  package var minute: Int { secondOfDay / 60 % 60 }
  /// 0 to 59.
  package var second: Int { secondOfDay % 60 }
}
