import FoundationEssentials
import FunctionKit
package import Notifications
import Postgres

extension NotificationStore {
  /// Notifies a person of a message as an analysis judged it, within their hourly limit of analyses.
  ///
  /// A message or event that already has a decision has no further effect and gets the recorded outcome. The person's
  /// state is locked before the count, so that two concurrent calls cannot both take the last place. The decision and
  /// the count are written in one transaction.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func notify(of analysis: Analysis, _ event: EventContext) async throws -> AnalysisOutcome {
    do {
      return try await GivingWay.repeating {
        try await connection.transaction(readOnly: event.dryRun) { transaction in
          try await decide(on: analysis, event, transaction)
        }
      }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  private func decide(
    on analysis: Analysis, _ event: EventContext, _ transaction: Transaction
  ) async throws -> AnalysisOutcome {
    guard let wishes = try await transaction.query(.wishes(of: analysis)).first else { return .unknownUser }
    if !event.dryRun {
      _ = try await transaction.query(.lockState(of: [analysis.user], in: .messageAI))
      if let earlier = try await transaction.query(.earlier(analysis, event)).first {
        return .decided(obstacle: earlier["reason"])
      }
    }

    let limit = try wishes.optional("max_analyses_per_hour") ?? Analysis.defaultHourlyLimit
    let recent = try await transaction.query(.others(of: analysis, at: event.now)).decode("created_at", as: Date.self)
    if let room = HourlyLimit.nextRoom(limit: limit, recent: recent, at: event.now) {
      let fallback = wishes["fallback_strategy"].flatMap(FallbackStrategy.init) ?? .simpleRules
      return .overLimit(AnalysisExcess(fallback: fallback, limit: limit, resetAt: room))
    }

    let result = try await result(of: analysis, event, transaction)
    let obstacle = analysis.deservesNotification ? result.obstacle : Analysis.notWorthNotifying
    if event.dryRun { return .decided(obstacle: obstacle, rehearsal: result) }
    _ = try await transaction.query(.record(analysis, obstacle, event))
    return .decided(obstacle: obstacle)
  }

  private func result(
    of analysis: Analysis, _ event: EventContext, _ transaction: Transaction
  ) async throws -> NotificationResult {
    guard analysis.deservesNotification else { return .nothing(event, because: Analysis.notWorthNotifying) }
    let sender = Actor(claimed: event.actorID, byID: [analysis.sender].compactMap(\.self))
    return try await notify(event, Announcement(analysis, except: sender), transaction)
  }
}

extension NotificationResult {
  /// Why its only person is not notified, or not yet.
  fileprivate var obstacle: String? {
    guard let entry = decisions.first else { return Suppression.subjectGone.rawValue }
    return entry.decision == Decision.notify.word ? nil : entry.reason
  }
}
