/// The date and time that a calendar and a clock on the wall show together, without a time zone.
public struct CivilTime: Sendable, Hashable {
  /// The day.
  public let date: CivilDate
  /// 0 to 86,399.
  public let secondOfDay: Int

  /// A day and the seconds since its midnight, 0 to 86,399.
  public init(date: CivilDate, secondOfDay: Int = 0) {
    self.date = date
    self.secondOfDay = secondOfDay
  }

  /// The civil time that many seconds after 1970-01-01T00:00:00 on the same wall.
  public init(secondsSinceEpoch: Int64) {
    let (days, second) = secondsSinceEpoch.dividedDown(by: 86_400)
    self.init(date: CivilDate(daysSinceEpoch: Int(days)), secondOfDay: Int(second))
  }

  /// The seconds since 1970-01-01T00:00:00 on the same wall: UTC's only when the wall shows UTC.
  public var secondsSinceEpoch: Int64 {
    Int64(date.daysSinceEpoch) * 86_400 + Int64(secondOfDay)
  }

  /// 0 to 23.
  public var hour: Int { secondOfDay / 3_600 }
  /// 0 to 59.
  public var minute: Int { secondOfDay / 60 % 60 }
  /// 0 to 59.
  public var second: Int { secondOfDay % 60 }
}
