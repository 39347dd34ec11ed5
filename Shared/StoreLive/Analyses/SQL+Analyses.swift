import FoundationEssentials
import Notifications
import Postgres
import PushPayload

extension Announcement<SmartNotification> {
  init(_ analysis: Analysis, except actor: Actor) {
    let notice = analysis.notice
    self.init([notice], to: .person(analysis.user, about: notice.subject), except: actor)
  }
}

extension SQL {
  /// The person's limit and fallback; no row if the person is not registered.
  static func wishes(of analysis: Analysis) -> SQL {
    """
    SELECT s.max_analyses_per_hour, s.fallback_strategy
    FROM users u
    \(App.messageAI.profile.preferences.join(of: .messageAI, user: "u.id"))
    WHERE u.id = \(analysis.user)
    """
  }

  /// The record of the same message for the same person, or of the same event.
  static func earlier(_ analysis: Analysis, _ event: EventContext) -> SQL {
    """
    SELECT reason FROM analyses
    WHERE user_id = \(analysis.user) AND message_id = \(analysis.notice.message)
      OR event_id = \(event.id) AND source = \(event.source)
    LIMIT 1
    """
  }

  /// When other messages were analysed for the person within the last hour.
  static func others(of analysis: Analysis, at now: Date) -> SQL {
    """
    SELECT created_at FROM analyses
    WHERE user_id = \(analysis.user) AND message_id <> \(analysis.notice.message)
      AND created_at > \(now.addingTimeInterval(-HourlyLimit.window))
    """
  }

  static func record(_ analysis: Analysis, _ obstacle: String?, _ event: EventContext) -> SQL {
    """
    INSERT INTO analyses (user_id, message_id, conversation_id, priority, source, event_id, reason, created_at)
    VALUES (\(analysis.user), \(analysis.notice.message), \(analysis.notice.conversation),
      \(analysis.notice.priority.rawValue), \(event.source), \(event.id), \(obstacle as String?), \(event.now))
    """
  }
}
