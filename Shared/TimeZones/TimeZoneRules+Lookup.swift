extension TimeZoneRules {
  /// Seconds to add to UTC at an instant; positive east of Greenwich.
  package func offset(at instant: Int64) -> Int32 { period(at: instant).offset }

  /// The date and time that a clock on the wall shows at an instant.
  package func civilTime(at instant: Int64) -> CivilTime {
    CivilTime(secondsSinceEpoch: Self.bounded(instant) + Int64(offset(at: instant)))
  }
}
