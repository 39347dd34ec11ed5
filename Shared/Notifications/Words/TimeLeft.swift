package import Locales

/// The remaining time.
package struct TimeLeft: Sendable, Equatable {
  /// Whole minutes, rounded and never negative, because a tick comes some milliseconds after the full minute.
  package let minutes: Int
  private let wholeMinutes: Int

  package init(seconds: Double) {
    let seconds = max(0, min(seconds, 1e9))
    (minutes, wholeMinutes) = (Int((seconds / 60).rounded()), Int(seconds / 60))
  }

  /// The words for it; `nil` for a few minutes.
  ///
  /// From 48 hours on it is the nearest day, from 90 minutes on the nearest hour, then 1 hour; below 55 minutes it is
  /// rounded down to five minutes.
  package var amount: (Int, LocaleFormats.Unit)? {
    switch wholeMinutes {
    case (48 * 60)...: ((wholeMinutes + 12 * 60) / (24 * 60), .day)
    case 90...: ((wholeMinutes + 30) / 60, .hour)
    case 55..<90: (1, .hour)
    case 5..<55: (wholeMinutes / 5 * 5, .minute)
    default: nil
    }
  }
}
