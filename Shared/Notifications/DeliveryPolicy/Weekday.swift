import Formats

/// A day of the week; the raw value is its name in the API and in `quiet_hours_days`.
package enum Weekday: String, Sendable, CaseIterable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// The weekday of a date.
  init(of date: CivilDate) { self = Self.allCases[(date.weekday + 6) % 7] }

  /// The day before.
  var before: Weekday { Self.allCases[((Self.allCases.firstIndex(of: self) ?? 0) + 6) % 7] }
}
