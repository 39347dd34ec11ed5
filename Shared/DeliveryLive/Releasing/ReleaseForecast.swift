package import FoundationEssentials
package import Notifications
package import Postgres
import StoreLive

/// The pushes that people get when what waits for them is due, if nothing changes until then.
///
/// It is what a release would decide at that moment. Pushes that go out before then count for no limit.
package struct ReleaseForecast: Sendable {
  /// The person who gets it.
  package let user: UUID
  /// The notifications that it tells of and that wait now, the newest first.
  package let parts: [UUID]
  /// Its words.
  package let text: NotificationText
  /// The words on the phone that it takes the place of; `nil` if it takes none.
  package let replaced: NotificationText?
  /// Whether its words count what it takes the place of, too.
  package let countsReplaced: Bool

  /// The messages that tell of the notifications that wait until one moment.
  ///
  /// - Parameters:
  ///   - people: whom they are for; of each, no more are looked at than one transaction releases.
  ///   - transaction: nothing is written in it.
  package static func forecasts(
    for people: [UUID], of app: App, at moment: Date, _ transaction: Transaction
  ) async throws -> [ReleaseForecast] {
    let due: SQL = .due(for: people, in: app, just: moment, limit: ReleaseRun.mostOfOne)
    let releases = try await ReleaseRun.decide(on: people, of: app, at: moment, due: due, transaction)
    return releases.flatMap { all(of: $0) }
  }

  private static func all(of release: Release) -> [ReleaseForecast] {
    let merged = Dictionary(grouping: release.merged, by: \.1).mapValues { $0.map(\.0) }
    func parts(of push: Release.Push) -> [UUID] {
      [push.notification] + (merged[push.notification] ?? []).filter { $0 != push.shown?.notification }.reversed()
    }
    var forecasts = release.pushes.map { push in
      ReleaseForecast(
        user: push.user, parts: parts(of: push), text: push.text, replaced: push.shown?.text,
        countsReplaced: push.shown != nil && push.isMerged)
    }
    if let summary = release.summary {
      forecasts.append(
        ReleaseForecast(
          user: summary.user, parts: summary.entries.reversed().flatMap(parts), text: summary.words.text, replaced: nil,
          countsReplaced: false))
    }
    return forecasts
  }
}
