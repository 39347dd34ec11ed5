import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushPayload
import StoreLive

extension DeliveryBatch {
  /// How long those that cannot be told together are looked for.
  private static let halving = Duration.seconds(5)

  /// The batch with what Live Activities say now, without pushes that would say nothing new.
  ///
  /// Their content is read when they go out, so a push that has waited says the latest. Their timestamps grow: a phone
  /// ignores a push that is older than one that came before.
  ///
  /// Where that fails because of one of them, it is put off, longer each time, and the rest go out; where it fails for
  /// another reason, all are put off by a minute, and the other pushes go out.
  func tellingActivities(_ connection: Connection, at now: Date, _ log: Log) async throws -> DeliveryBatch {
    let told = pushes.filter { $0.pushType == PushType.liveActivity.rawValue }.map(\.id)
    guard !told.isEmpty else { return self }
    let words = try await wording(told, connection, at: now, log)
    var batch = self
    batch.pushes.removeAll { words.putOff.contains($0.id) }
    batch.held += words.putOff.count
    return batch.telling(words.pushes)
  }

  /// The present words of some activities, and those that are put off because they cannot be told.
  ///
  /// Activities that fail because of their rows are done again in halves, so that one that fails alone harms no other.
  /// That ends before the rest of the batch would be sent too late.
  private func wording(
    _ told: [UUID], _ connection: Connection, at now: Date, _ log: Log
  ) async throws -> (pushes: [ActivityPush], putOff: Set<UUID>) {
    let end = ContinuousClock.now + Self.halving
    var (pushes, parts, left, failing): ([ActivityPush], [[UUID]], [UUID], [UUID]) = ([], [told], [], [])
    var failure: (any Error)?
    while let part = parts.popLast() {
      if failure != nil, .now >= end {
        left += part
        continue
      }
      do {
        pushes += try await wording(part, connection, at: now)
      } catch {
        failure = error
        let middle = part.count / 2
        if error.isOfRows, middle > 0 {
          parts += [Array(part[middle...]), Array(part[..<middle])]
        } else {
          left += part
          if error.isOfRows, !error.isOfMoment { failing += part }
        }
      }
    }
    guard let failure, !left.isEmpty else { return (pushes, []) }
    _ = try await GivingWay.repeating { [left, failing] () throws(PostgresError) in
      try await connection.query(.putOff(left, failing: failing, lease, at: now))
    }
    log.error(
      "Live Activities could not be told and are put off",
      ["push.count": "\(left.count)", "error.cause": "\(failure)"])
    return (pushes, Set(left))
  }

  /// The present words of some activities; all or none of them are written.
  private func wording(_ told: [UUID], _ connection: Connection, at now: Date) async throws -> [ActivityPush] {
    let apps = Set(pushes.compactMap { App(rawValue: $0.device.app) }).sorted { $0.rawValue < $1.rawValue }
    let subjects = apps.compactMap { app in
      app.profile.activity.flatMap { rule in app.activitySubject.map { ($0, rule) } }
    }
    return try await GivingWay.repeating {
      try await connection.transaction { transaction in
        var pushes: [ActivityPush] = []
        for (subject, rule) in subjects {
          pushes += try await wording(told, of: subject, rule, at: now, transaction)
        }
        _ = try await transaction.pipeline(SQL.tell(pushes, lease, at: now))
        return pushes
      }
    }
  }

  private func wording<Subject: ActivitySubject>(
    _ told: [UUID], of type: Subject.Type, _ rule: ActivityRule, at now: Date, _ transaction: Transaction
  ) async throws -> [ActivityPush] {
    let rows = try await transaction.query(.activityPushes(told, of: type, rule, lease, at: now))
    guard !rows.isEmpty else { return [] }
    // Held before the subjects are read: what a channel says later is newer than what the start says.
    let channels = try await transaction.query(.holdLive(rows.compactMap { try $0.optional("channel_id") }))
    let names = try Dictionary(
      uniqueKeysWithValues: channels.map { (try $0.decode("id", as: UUID.self), $0["channel"]) })
    let subjects = Set(rows.compactMap { $0["subject_id"].flatMap(UUID.init(uuidString:)) })
    let shown = try await Subject.all(Array(subjects), at: now, transaction)
    return try rows.map { try ActivityPush($0, shown, names, at: now) }
  }

  /// The batch with the payloads of what goes out to activities, without the rest.
  private func telling(_ pushes: [ActivityPush]) -> DeliveryBatch {
    var batch = self
    let byDelivery = Dictionary(pushes.map { ($0.delivery, $0) }) { first, _ in first }
    batch.pushes = batch.pushes.compactMap { push in
      guard push.pushType == PushType.liveActivity.rawValue else { return push }
      guard let activity = byDelivery[push.id], let payload = activity.payload else { return nil }
      var push = push
      (push.payload, push.priority, push.isOnce) = (payload, activity.priority, activity.event == .start)
      return push
    }
    batch.expired += self.pushes.count - batch.pushes.count
    return batch
  }
}

/// A push to a Live Activity that goes out now.
private struct ActivityPush {
  let delivery: UUID
  let notification: UUID
  let activity: UUID
  /// The seconds since 1970 that say which of several pushes is the newest.
  let stamp: Int
  let event: Event
  let priority: Int
  /// The channel that a start names; `nil` if the activity gets a token of its own.
  private(set) var channel: UUID?
  /// The push's payload; `nil` if nothing is sent.
  private(set) var payload: String?
  private(set) var content = ""

  enum Event: String { case start, update, end }

  /// - Parameter channels: the ids at APNs of the channels that starts may name.
  init<Subject: ActivitySubject>(
    _ row: Row, _ all: [UUID: Subject], _ channels: [UUID: String?], at now: Date
  ) throws {
    typealias State = Subject.Attributes.ContentState
    (delivery, notification) = (try row.decode("id"), try row.decode("notification_id"))
    activity = try row.decode("activity_id")
    stamp = max(try row.decode("stamp", as: Int.self) + 1, Int(now.timeIntervalSince1970.rounded(.down)))
    let shown = row["subject_id"].flatMap(UUID.init(uuidString:)).flatMap { all[$0] }
    let (isStart, isWanted): (Bool, Bool) = (try row.decode("is_start"), try row.decode("is_wanted"))
    let isOver = shown?.isOpen != true || !isWanted
    event = isStart ? .start : isOver ? .end : .update
    priority = event == .update ? shown?.updatePriority(at: now) ?? 10 : 10
    // The app may have started one itself while the start waited.
    guard try !isStart || !isOver && !row.decode("is_registered") else { return }
    let state = Self.state(shown, isWanted: isWanted, said: row["said"], at: now)
    if event != .start, try row.decode("has_ended") {
      // Another end is of use while the activity is shown, and says something else.
      let said = row["said"].flatMap(State.init(text:))
      guard event == .end, said?.statusName != state.statusName, try row.decode("is_still_shown") else { return }
    }
    content = try state.text
    if event == .update, content == row["said"], try !row.decode("is_in_doubt") { return }
    var payload = LiveActivityPayload<Subject.Attributes>(
      .end(dismissedAt: isWanted ? state.dismissal(at: now) : now), state: state,
      timestamp: Date(timeIntervalSince1970: TimeInterval(stamp)))
    if event != .end { payload.staleAt = state.closesAt }
    if event == .update { payload.event = .update(alert: nil) }
    if let shown, event == .start {
      payload.event = .start(shown.attributes, alert: PushPayload.Alert(title: row["title"], body: row["body"]))
      if let id: UUID = try row.optional("channel_id"), let name = channels[id] ?? nil {
        (channel, payload.updates) = (id, .channel(name))
      }
    }
    self.payload = try payload.encoded()
  }

  /// The last state that it shows of a subject that is gone, or that the person may not see or does not want any more:
  /// nothing new.
  private static func state<Subject: ActivitySubject>(
    _ shown: Subject?, isWanted: Bool, said: String?, at now: Date
  ) -> Subject.Attributes.ContentState {
    typealias State = Subject.Attributes.ContentState
    guard let shown else { return State.calledOff(said, at: now) }
    return isWanted ? shown.state : said.flatMap(State.init(text:)) ?? .gone(at: now)
  }
}

extension SQL {
  /// An app's leased pushes to Live Activities: `id, notification_id, subject_id, activity_id, said, stamp, has_ended,
  /// is_still_shown, is_registered, is_start, is_in_doubt, channel_id, title, body, is_wanted`.
  ///
  /// `channel_id` is the channel that a start can name: of its device's app, in the environment that it is sent to.
  ///
  /// `is_in_doubt` says that the phone may have got something else than what was accepted last. The words of a start are
  /// looked for among what the person got, which is less than what all got about the subject.
  fileprivate static func activityPushes<Subject: ActivitySubject>(
    _ deliveries: [UUID], of type: Subject.Type, _ rule: ActivityRule, _ lease: UUID, at now: Date
  ) -> SQL {
    let settings = SettingsSQL(of: rule.opening, for: "q")
    return """
      SELECT d.id, d.notification_id, n.subject_id, r.id AS activity_id, r.said, r.stamp,
        r.ended_at IS NOT NULL AS has_ended, \(Subject.Attributes.ContentState.isStillShown("r", at: now)) AS is_still_shown,
        r.registered_at IS NOT NULL AS is_registered,
        coalesce(n.data ->> 'event' = 'start', false) AS is_start,
        d.attempts > 0 OR d.unsettled > 1 OR EXISTS (
          SELECT FROM deliveries o
          WHERE o.device_token_id = d.device_token_id AND o.activity_id = d.activity_id AND o.id <> d.id
            AND o.state = 'queued')
          AS is_in_doubt,
        channel.id AS channel_id, opened.title, opened.body, EXISTS (
          SELECT FROM (
            SELECT q.*, \(settings.columns) FROM (
              \(Subject.seen("n.subject_id", by: "d.user_id"))
            ) q
            \(settings.tables)
          ) q
          WHERE q.is_enabled AND q.level <> \(Candidate.Level.muted.rawValue) AND coalesce(q.override, q.personal, true)
            AND \(wantsActivities(of: "d.user_id", in: "d.app"))
        ) AS is_wanted
      FROM deliveries d
      JOIN notifications n ON n.id = d.notification_id
      JOIN live_activities s ON s.id = d.activity_id
      JOIN live_activities r ON r.device_token_id = s.device_token_id AND r.attributes_type = s.attributes_type
        AND r.subject_id = n.subject_id
      LEFT JOIN LATERAL (
        SELECT c.id FROM device_tokens t JOIN activity_channels c ON c.app = d.app AND c.topic = t.bundle_id
          AND c.environment = coalesce(s.environment, t.environment) AND c.subject_id = n.subject_id
        WHERE n.data ->> 'event' = 'start' AND t.id = d.device_token_id AND d.probe_environment IS NULL
          AND c.state = 'live' AND \(canListen("t"))
      ) channel ON true
      LEFT JOIN LATERAL (
        SELECT o.title, o.body FROM (
          SELECT o.* FROM notifications o
          WHERE o.user_id = d.user_id AND o.app = d.app AND o.pushed_at IS NOT NULL OFFSET 0
        ) o
        WHERE n.data ->> 'event' = 'start' AND \(Subject.subject(of: "o")) = n.subject_id::uuid
          AND lower(o.type) = \(rule.opening.name)
        ORDER BY o.created_at DESC LIMIT 1
      ) opened ON true
      WHERE d.id = ANY (\(deliveries)) AND d.lease_id = \(lease) AND \(isActivityPush)
        AND d.app = \(Subject.app.rawValue)
      ORDER BY r.id, d.id FOR NO KEY UPDATE OF r
      """
  }

  /// Puts leased pushes off by a minute, as if nobody had taken them.
  /// - Parameter failing: those that cannot be worded. They wait as long as they have waited already, up to an hour.
  fileprivate static func putOff(_ deliveries: [UUID], failing: [UUID], _ lease: UUID, at now: Date) -> SQL {
    """
    UPDATE deliveries d
    SET not_before = least(
        \(now)::timestamptz + CASE WHEN d.id = ANY (\(failing))
          THEN least(greatest(interval '1 minute', \(now)::timestamptz - d.created_at), interval '1 hour')
          ELSE interval '1 minute' END,
        d.expires_at),
      lease_id = NULL, lease_until = NULL, unsettled = greatest(d.unsettled - 1, 0), updated_at = \(now)
    WHERE d.id = ANY (\(deliveries)) AND d.lease_id = \(lease)
    """
  }

  /// Writes what goes out, and ends the deliveries of what does not.
  ///
  /// A start's words count as said, and its activity listens to the channel that it names: it is sent once, and without
  /// an activity nothing follows it.
  fileprivate static func tell(_ pushes: [ActivityPush], _ lease: UUID, at now: Date) -> [SQL] {
    let sent = pushes.filter { $0.payload != nil }
    let rows: SQL = .rows(
      "i",
      [
        "activity": "\(sent.map(\.activity))", "notification": "\(sent.map(\.notification))",
        "stamp": "\(sent.map(\.stamp))", "event": "\(sent.map(\.event.rawValue))",
        "content": "\(sent.map(\.content))", "priority": "\(sent.map(\.priority))",
        "channel": "\(sent.map(\.channel))",
      ])
    return [
      """
      UPDATE live_activities a
      SET stamp = greatest(a.stamp, i.stamp), said = CASE WHEN i.event = 'start' THEN i.content ELSE a.said END,
        said_stamp = CASE WHEN i.event = 'start' THEN i.stamp ELSE a.said_stamp END,
        channel_id = CASE WHEN i.event = 'start' THEN i.channel ELSE a.channel_id END
      FROM \(rows) WHERE a.id = i.activity
      """,
      """
      UPDATE notifications n
      SET data = jsonb_build_object('event', i.event, 'content', i.content, 'stamp', i.stamp), priority = i.priority,
        updated_at = \(now)
      FROM \(rows) WHERE n.id = i.notification
      """,
      """
      UPDATE deliveries d
      SET state = 'expired', reason = \(DeliveryEnd.superseded.rawValue), lease_id = NULL, lease_until = NULL,
        unsettled = greatest(d.unsettled - 1, 0), updated_at = \(now)
      WHERE d.id = ANY (\(pushes.filter { $0.payload == nil }.map(\.delivery))) AND d.lease_id = \(lease)
      """,
    ]
  }
}
