package import FoundationEssentials

/// Spreads the end of quiet hours over a minute.
package enum ReleaseJitter {
  /// The seconds from the end until a person's held notifications go out: 0 up to 60.
  ///
  /// One person always has the same delay, so that all their notifications go out together.
  package static func delay(for user: UUID) -> TimeInterval {
    TimeInterval(StableHash(user).number(below: 60_000)) / 1_000
  }
}
