/// How long something still takes, in words.
public struct TimeLeft: Sendable, Equatable {
  /// Whole minutes, never negative.
  public let minutes: Int

  /// A time from its seconds, rounded down to the minute.
  public init(seconds: Double) { minutes = Int(max(0, min(seconds, 1e9)) / 60) }

  /// From 90 minutes on the nearest hour, then `in 1 hour`, below 55 minutes rounded down to five minutes.
  public var text: String { "in \(amount)" }

  /// The same without the `in`.
  public var amount: String {
    switch minutes {
    case 90...: "\((minutes + 30) / 60) hours"
    case 55..<90: "1 hour"
    case 5..<55: "\(minutes / 5 * 5) minutes"
    default: "a few minutes"
    }
  }
}
