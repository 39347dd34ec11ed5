import FoundationEssentials
import Notifications
import Postgres
import PushPayload

extension Announcement<SmartNotification> {
  init(_ analysis: Analysis, except actor: Actor) {
    let (notice, app) = (analysis.notice, App.messageAI.rawValue)
    self.init(
      [notice],
      to: Audience(
        people: """
          SELECT u.id AS user_id, \(notice.subject.id)::text AS subject_id,
            \(RecipientReason.addressee.rawValue) AS reason, coalesce(s.is_enabled, true) AS is_enabled, 'all' AS level,
            NULL AS override, (s.switches -> \(notice.kind.name)) = 'true'::jsonb AS personal, left(s.sound, 50) AS sound, s.timezone,
            NULL AS standing
          FROM users u
          LEFT JOIN notification_settings s ON s.user_id = u.id AND s.app = \(app)
          WHERE u.id = \(analysis.user)
          """),
      except: actor)
  }
}

extension SQL {
  /// The person's limit and fallback; no row if the person is not registered.
  static func wishes(of analysis: Analysis) -> SQL {
    """
    SELECT s.max_analyses_per_hour, s.fallback_strategy
    FROM users u
    LEFT JOIN notification_settings s ON s.user_id = u.id AND s.app = \(App.messageAI.rawValue)
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
