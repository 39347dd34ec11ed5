import Notifications

/// Which pushes are not even tried, because APNs found fault with the team's tokens or with an app's configuration.
struct SenderHolds: Sendable {
  /// An app as APNs knows it.
  struct App: Hashable {
    let environment: PushEnvironment
    let topic: String
  }

  private var team: ContinuousClock.Instant?
  private var apps: [App: ContinuousClock.Instant] = [:]

  /// How much longer an app's pushes are held; `nil` when they may go.
  func pause(_ app: App, at now: ContinuousClock.Instant) -> Duration? {
    [team, apps[app]].compactMap { $0 }.max().flatMap { $0 > now ? now.duration(to: $0) : nil }
  }

  /// Takes note of a final verdict.
  mutating func note(_ verdict: PushVerdict, _ app: App, at now: ContinuousClock.Instant) {
    switch verdict {
    case .holdTeam: team = now + RetryTiming.team
    case .holdApp: apps[app] = now + RetryTiming.configuration
    default: break
    }
  }
}
