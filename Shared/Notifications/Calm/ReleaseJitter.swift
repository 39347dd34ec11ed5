public import FoundationEssentials

/// What keeps everybody's quiet hours from ending in the same second.
public enum ReleaseJitter {
  /// The seconds after the end at which a person's held notifications come: 0 up to 60.
  ///
  /// They are always the same for one person, so that all of theirs come together.
  public static func delay(for user: UUID) -> TimeInterval {
    TimeInterval(StableHash(user).number(below: 60_000)) / 1_000
  }
}
