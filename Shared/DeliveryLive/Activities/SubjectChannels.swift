import FoundationEssentials
import Notifications
import Postgres
import PushPayload
import StoreLive

/// A device with a push-to-start token that may start an activity.
struct ActivityOpening {
  let notification: UUID
  let token: UUID
  /// The channel that the activity can listen to; `nil` if its device is too old, or too little is known of it.
  let place: AppEnvironment?

  /// Channels belong to an app in an environment.
  struct AppEnvironment: Hashable {
    /// The bundle id.
    let topic: String
    let environment: String
  }

  init(_ row: Row) throws {
    (notification, token) = (try row.decode("notification_id"), try row.decode("token_id"))
    place = row["topic"].flatMap { topic in row["environment"].map { AppEnvironment(topic: topic, environment: $0) } }
  }
}

/// The broadcast channels of a subject: which are asked for, and what they are to say.
enum SubjectChannels {
  /// The most seconds that a start waits for its channel.
  private static let patience: TimeInterval = 60
  /// The seconds after which a start that waits looks again.
  private static let pause: TimeInterval = 5

  /// Asks for the channels of some places, each once for ever.
  /// - Returns: when to look again at the places whose channel is about to be there.
  static func ask(
    for places: Set<ActivityOpening.AppEnvironment>, about subject: UUID, in app: App, _ rule: ActivityRule,
    until end: Date, at now: Date, _ transaction: Transaction
  ) async throws -> [ActivityOpening.AppEnvironment: Date] {
    guard !places.isEmpty else { return [:] }
    let answers = try await transaction.pipeline([
      .askForChannels(places, about: subject, in: app, rule, until: end, at: now),
      .channelsToCome(of: subject, in: app),
    ])
    var later: [ActivityOpening.AppEnvironment: Date] = [:]
    for row in answers[1] {
      let place = ActivityOpening.AppEnvironment(
        topic: try row.decode("topic"), environment: try row.decode("environment"))
      let last = try row.decode("created_at", as: Date.self).addingTimeInterval(patience)
      if last > now { later[place] = min(last, now.addingTimeInterval(pause)) }
    }
    return later
  }

  /// Has the channels say what is true, if they or their activities say something else.
  ///
  /// A start that is being worded holds its channel, so it is either seen here, or worded after what is said here. What a
  /// channel says is newer than all that its activities got.
  ///
  /// A channel that has ended says another end while its activities may be shown, as when votes were closed and the
  /// event is confirmed. It is deleted when no phone can want its end any more, also if APNs has not taken the end.
  /// - Returns: how many channels get a broadcast.
  static func tell<Subject: ActivitySubject>(
    _ subject: UUID, _ shown: Subject?, at now: Date, _ transaction: Transaction
  ) async throws -> Int {
    typealias State = Subject.Attributes.ContentState
    let app = Subject.app
    guard try await transaction.query(.holdChannels(of: subject, in: app)).first != nil else { return 0 }
    let content = try shown?.state.text
    let open = shown.flatMap { $0.isOpen ? $0 : nil }
    _ = try await transaction.query(.closeEnded(of: subject, in: app, isOver: open == nil, at: now))
    let outdated = try await transaction.query(
      .outdatedChannels(
        of: subject, in: app, besides: content, shown?.state ?? State.calledOff(nil, at: now), isOver: open == nil,
        at: now))
    let broadcasts = try outdated.map { row in
      try SQL.broadcast(
        content ?? State.calledOff(row["wanted"] ?? row["said"], at: now).text, in: row.decode("id"),
        after: row.decode("stamp"), priority: open?.updatePriority(at: now), until: shown?.state.closesAt, at: now)
    }
    let told = broadcasts.isEmpty ? [] : try await transaction.pipeline(broadcasts)
    for row in try await transaction.query(.endingChannels(of: subject, in: app)) {
      let time = try row.decode("updated_at", as: Date.self).addingTimeInterval(ActivityEnd.longest)
      _ = try await transaction.query(.noteChange(of: subject, in: app, at: time, openings: []))
    }
    return told.reduce(0) { $0 + $1.affectedRows }
  }
}

extension SQL {
  /// Whether the activities of a row of `device_tokens` can listen to a channel: since iOS 18, if its bundle id is one.
  static func canListen(_ device: SQL) -> SQL {
    """
    (lower(\(device).platform) IN ('ios', 'ipados')
      AND coalesce(substring(\(device).os_version FROM '^[^0-9]*([0-9]{1,3})')::int >= 18, false)
      AND coalesce(\(device).bundle_id ~ '^[A-Za-z0-9][A-Za-z0-9.-]*$', false))
    """
  }

  /// Whether the activity of a row of `live_activities` gets its updates by a channel that is in use.
  static func listens(_ row: SQL) -> SQL {
    """
    EXISTS (
      SELECT FROM activity_channels c WHERE c.id = \(row).channel_id AND c.state IN ('live', 'ended', 'closing'))
    """
  }

  fileprivate static func askForChannels(
    _ places: Set<ActivityOpening.AppEnvironment>, about subject: UUID, in app: App, _ rule: ActivityRule,
    until end: Date, at now: Date
  ) -> SQL {
    let places = places.sorted { ($0.topic, $0.environment) < ($1.topic, $1.environment) }
    return """
      INSERT INTO activity_channels (
        app, attributes_type, subject_id, topic, environment, created_at, updated_at, expires_at)
      SELECT \(app.rawValue), \(rule.attributesType), \(subject)::uuid, p.topic, p.environment, \(now)::timestamptz, \(now),
        \(end)
      FROM \(rows("p", ["topic": "\(places.map(\.topic))", "environment": "\(places.map(\.environment))"]))
      ON CONFLICT DO NOTHING
      """
  }

  /// The channels of a subject that are not there yet: `topic, environment, created_at`.
  fileprivate static func channelsToCome(of subject: UUID, in app: App) -> SQL {
    """
    SELECT c.topic, c.environment, c.created_at FROM activity_channels c
    WHERE c.subject_id = \(subject)::uuid::text AND c.app = \(app.rawValue) AND c.state IN ('asked', 'creating')
    """
  }

  /// Keeps the channels of a subject that are in use or will be as they are, and answers with them.
  fileprivate static func holdChannels(of subject: UUID, in app: App) -> SQL {
    "SELECT c.id FROM activity_channels c WHERE \(isInUse(of: subject, in: app)) ORDER BY c.id FOR NO KEY UPDATE"
  }

  private static func isInUse(of subject: UUID, in app: App) -> SQL {
    """
    c.subject_id = \(subject)::uuid::text AND c.app = \(app.rawValue) AND c.state IN ('asked', 'creating', 'live', 'ended')
    """
  }

  /// Whether a channel `c` in use has ended, or is to end as soon as APNs takes the end.
  private static let isEnding: SQL = "(c.state = 'ended' OR c.state = 'live' AND c.wanted_event = 'end')"

  /// Has the channels deleted whose end is of no use to any phone any more; activities that wait for it end without it.
  /// - Parameter isOver: whether the subject is over. If not, a channel whose end nobody got goes on.
  fileprivate static func closeEnded(of subject: UUID, in app: App, isOver: Bool, at now: Date) -> SQL {
    """
    WITH closed AS (
      UPDATE activity_channels c
      SET state = 'closing', reason = CASE WHEN c.state = 'live' THEN 'end not taken' END, updated_at = \(now)::timestamptz
      WHERE \(isInUse(of: subject, in: app)) AND \(isEnding) AND (c.state = 'ended' OR \(isOver))
        AND c.updated_at <= \(now.addingTimeInterval(-ActivityEnd.longest))
      RETURNING c.id
    )
    UPDATE live_activities a SET ended_at = \(now), ended_reason = 'unsaid' FROM closed c
    WHERE \(isRunning("a", of: "\(subject)::uuid", in: app)) AND a.channel_id = c.id
    """
  }

  /// The channels that have ended or are to end: `updated_at`.
  fileprivate static func endingChannels(of subject: UUID, in app: App) -> SQL {
    "SELECT c.updated_at FROM activity_channels c WHERE \(isInUse(of: subject, in: app)) AND \(isEnding)"
  }

  /// The channels that say something else than a content, or whose activities do: `id, wanted, said, stamp`.
  ///
  /// Before its first broadcast, a channel says what the starts said. `stamp` is the newest timestamp that a phone may
  /// have got.
  /// - Parameter isOver: whether the activities are to end; a channel that nobody listens to is ended, too.
  fileprivate static func outdatedChannels<State: ActivityState>(
    of subject: UUID, in app: App, besides content: String?, _ state: State, isOver: Bool, at now: Date
  ) -> SQL {
    """
    SELECT c.id, c.wanted, l.said, greatest(c.wanted_stamp, l.stamp) AS stamp
    FROM activity_channels c CROSS JOIN LATERAL (
      SELECT max(a.stamp) AS stamp, (array_agg(a.said ORDER BY a.said_stamp DESC))[1] AS said,
        bool_or(a.said IS DISTINCT FROM \(content as String?)::text AND a.said_stamp >= c.wanted_stamp) AS differs
      FROM live_activities a WHERE \(isRunning("a", of: "\(subject)::uuid", in: app)) AND a.channel_id = c.id
    ) l
    WHERE \(isInUse(of: subject, in: app)) AND CASE WHEN c.state = 'ended'
      THEN \(isOver) AND c.updated_at > \(now.addingTimeInterval(-State.longestStay))
        AND c.wanted::jsonb ->> 'status' <> \(state.statusName)
      ELSE l.differs OR c.wanted <> \(content as String?)::text
        OR coalesce(c.wanted_event = 'end', false) <> \(isOver) END
    ORDER BY c.id
    """
  }

  /// Asks for a broadcast.
  /// - Parameters:
  ///   - stamp: the newest timestamp so far.
  ///   - priority: the priority of an update; `nil` for an end.
  ///   - end: the subject's end; `nil` if the subject is gone.
  fileprivate static func broadcast(
    _ content: String, in channel: UUID, after stamp: Int, priority: Int?, until end: Date?, at now: Date
  ) -> SQL {
    """
    UPDATE activity_channels c
    SET wanted = \(content), wanted_stamp = \(max(stamp + 1, Int(now.timeIntervalSince1970.rounded(.down)))),
      wanted_event = \(priority == nil ? "end" : "update"), wanted_priority = \(Int32(priority ?? 10)),
      expires_at = coalesce(\(end as Date?)::timestamptz, c.expires_at), updated_at = \(now)
    WHERE c.id = \(channel)
    """
  }

  /// Keeps the channels that starts name as they are, if they are live: `id, channel`.
  static func holdLive(_ channels: [UUID]) -> SQL {
    """
    SELECT c.id, c.channel FROM activity_channels c WHERE c.id = ANY (\(channels)) AND c.state = 'live'
    ORDER BY c.id FOR SHARE
    """
  }
}
