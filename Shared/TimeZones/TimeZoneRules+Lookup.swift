extension TimeZoneRules {
  /// An instant at which the distance to UTC changes.
  public struct Transition: Sendable, Hashable {
    /// The first instant of the new offset.
    public let instant: Int64
    /// Seconds to add to UTC until then.
    public let offsetBefore: Int32
    /// Seconds to add to UTC from then on.
    public let offsetAfter: Int32

    /// Seconds by which the clock was set forward, or back when negative.
    public var shift: Int32 { offsetAfter - offsetBefore }
  }

  /// Seconds to add to UTC at an instant; positive east of Greenwich.
  public func offset(at instant: Int64) -> Int32 { period(at: instant).offset }

  /// The name of the clock's setting at an instant, such as `CEST` or `+0545`.
  public func abbreviation(at instant: Int64) -> String { period(at: instant).abbreviation }

  /// The date and time that a clock on the wall shows at an instant.
  public func civilTime(at instant: Int64) -> CivilTime {
    CivilTime(secondsSinceEpoch: Self.bounded(instant) + Int64(offset(at: instant)))
  }

  /// The first change of the offset after an instant; nil when there is none within 400 years of it.
  public func nextTransition(after instant: Int64) -> Transition? {
    let instant = Self.bounded(instant)
    var period = period(at: instant)
    while let end = period.end, end - instant < 400 * 366 * 86_400 {
      let next = self.period(at: end)
      if next.offset != period.offset {
        return Transition(instant: end, offsetBefore: period.offset, offsetAfter: next.offset)
      }
      period = next
    }
    return nil
  }
}
