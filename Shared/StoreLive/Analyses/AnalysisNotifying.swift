package import FoundationEssentials
import FunctionKit
package import Notifications
import Postgres
import PushPayload

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

extension Announcement<SmartNotification> {
  fileprivate init(_ analysis: Analysis, except actor: Actor) {
    let notice = analysis.notice
    self.init([notice], to: .person(analysis.user, about: notice.subject), except: actor)
  }
}

extension SQL {
  /// The person's limit and fallback; no row if the person is not registered.
  fileprivate static func wishes(of analysis: Analysis) -> SQL {
    """
    SELECT s.max_analyses_per_hour, s.fallback_strategy
    FROM users u
    \(App.messageAI.profile.preferences.join(of: .messageAI, user: "u.id"))
    WHERE u.id = \(analysis.user)
    """
  }

  /// The record of the same message for the same person, or of the same event.
  fileprivate static func earlier(_ analysis: Analysis, _ event: EventContext) -> SQL {
    """
    SELECT reason FROM analyses
    WHERE user_id = \(analysis.user) AND message_id = \(analysis.notice.message)
      OR event_id = \(event.id) AND source = \(event.source)
    LIMIT 1
    """
  }

  /// When other messages were analysed for the person within the last hour.
  fileprivate static func others(of analysis: Analysis, at now: Date) -> SQL {
    """
    SELECT created_at FROM analyses
    WHERE user_id = \(analysis.user) AND message_id <> \(analysis.notice.message)
      AND created_at > \(now.addingTimeInterval(-HourlyLimit.window))
    """
  }

  fileprivate static func record(_ analysis: Analysis, _ obstacle: String?, _ event: EventContext) -> SQL {
    """
    INSERT INTO analyses (user_id, message_id, conversation_id, priority, source, event_id, reason, created_at)
    VALUES (\(analysis.user), \(analysis.notice.message), \(analysis.notice.conversation),
      \(analysis.notice.priority.rawValue), \(event.source), \(event.id), \(obstacle as String?), \(event.now))
    """
  }
}

/// The answer to a request to notify a person of an analysed message.
package enum AnalysisOutcome: Sendable {
  /// The person is not registered.
  case unknownUser
  /// The person has reached their hourly limit of analyses; nothing was decided, and this one does not count.
  case overLimit(AnalysisExcess)
  /// There is a decision, from this call or from an earlier one about the same message.
  ///
  /// `obstacle` is why the person is not notified, or not yet; it is `nil` if they are. `rehearsal` is set in a dry run
  /// only.
  case decided(obstacle: String?, rehearsal: NotificationResult? = nil)
}

/// The person's wishes once they have reached their hourly limit of analyses.
package struct AnalysisExcess: Sendable, Equatable {
  /// The caller's treatment of the message.
  package let fallback: FallbackStrategy
  /// Analyses in an hour.
  package let limit: Int
  /// The time at which the next analysis has room.
  package let resetAt: Date
}
