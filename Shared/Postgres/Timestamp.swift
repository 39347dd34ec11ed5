import FoundationEssentials

/// A `timestamptz`: microseconds since 2000-01-01 00:00 UTC; the two ends stand for infinity and its negative.
///
/// A `Date` is exact for about 285 years around 2001. Farther away it rounds.
struct Timestamp: Equatable {
  let microseconds: Int64

  init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  private static let secondsFrom2000To2001 = 31_622_400.0

  init?(_ date: Date) {
    let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded() + Self.secondsFrom2000To2001 * 1e6
    guard let exact = Int64(exactly: microseconds), exact != .max, exact != .min else { return nil }
    self.microseconds = exact
  }

  var date: Date {
    let (since2001, isInfinite) = microseconds.subtractingReportingOverflow(
      Int64(Self.secondsFrom2000To2001) * 1_000_000)
    return Date(timeIntervalSinceReferenceDate: Double(isInfinite ? microseconds : since2001) / 1_000_000)
  }
}
