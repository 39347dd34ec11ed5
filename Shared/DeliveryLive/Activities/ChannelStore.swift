package import FoundationEssentials
package import FunctionKit
package import Notifications
package import Postgres
import PushPayload
import StoreLive

/// The broadcast channels of Live Activities, in PostgreSQL: rows of `activity_channels`.
///
/// Each statement changes only a row that is still in the state that it expects, so two runs never do the same.
/// All throw ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
package struct ChannelStore: Sendable {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// The step that a channel's row asks for.
  package struct Step: Sendable, Equatable {
    package let row: UUID
    /// The bundle id of the app, without a suffix.
    package let topic: String
    package let environment: PushEnvironment
    package let deed: Deed
  }

  /// The deed that is to be done at APNs.
  package enum Deed: Sendable, Equatable {
    /// To create the channel; the row says `creating` already.
    case create
    /// To say on the channel what is true.
    case say(Saying, on: String)
    /// To delete the channel.
    case delete(String)
  }

  /// The words for the activities of a channel.
  package struct Saying: Sendable, Equatable {
    /// The payload; `nil` if another version wrote a content that cannot be read.
    package let payload: String?
    /// 5 or 10.
    package let priority: Int
    package let expiresAt: Date
    package let stamp: Int
    package let isEnd: Bool
  }

  /// The next thing to do for a channel; `nil` if there is none.
  ///
  /// Who takes ``Deed/create`` alone may create the channel. Where a run took it and has written no answer, nobody
  /// knows whether the channel is there; then it is refused, and no second one is made.
  package func next(_ row: UUID, at now: Date) async throws(FunctionError) -> Step? {
    guard let begun = try await write(.beginChannel(row, at: now)).first else { return nil }
    do {
      return try Step(begun, at: now)
    } catch {
      throw FunctionError(database: error)
    }
  }

  /// Writes the id of a channel that was created; returns whether the row still waited for it.
  package func opened(_ row: UUID, as channel: String, at now: Date) async throws(FunctionError) -> Bool {
    let change: SQL = "state = 'live', channel = \(channel)"
    return try await !write(.changeChannel(row, from: [.creating], change, at: now)).isEmpty
  }

  /// Asks again for a channel that was not created for certain.
  package func postponed(_ row: UUID, at now: Date) async throws(FunctionError) {
    _ = try await write(.changeChannel(row, from: [.creating], "state = 'asked'", at: now))
  }

  /// The channel was not created, and will not be: its activities get tokens.
  package func refused(_ row: UUID, because reason: String, at now: Date) async throws(FunctionError) {
    _ = try await write(.changeChannel(row, from: [.creating], "state = 'refused', reason = \(reason)", at: now))
  }

  /// APNs has accepted a broadcast.
  ///
  /// If it was an end, its activities have ended; so has the channel, unless it is to say
  /// something else by now, and it is deleted when no phone can show them any more.
  package func said(_ saying: Saying, row: UUID, at now: Date) async throws(FunctionError) {
    _ = try await write(.saidOnChannel(row, saying, at: now))
  }

  /// The channel is no more.
  /// - Parameter reason: APNs' word; `nil` if it was deleted as asked, which leaves the reason why.
  package func gone(_ row: UUID, because reason: String?, at now: Date) async throws(FunctionError) {
    let change: SQL = "state = 'gone', reason = coalesce(\(reason as String?)::text, reason)"
    _ = try await write(.changeChannel(row, from: reason == nil ? [.closing] : [.live, .ended], change, at: now))
  }

  /// Its own writes ask for nothing.
  private func write(_ statement: SQL) async throws(FunctionError) -> Rows {
    do {
      return try await connection.transaction { transaction in
        try await transaction.pipeline([statement].asOwnWrites)[1]
      }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    } catch {
      throw FunctionError(error)
    }
  }
}

/// The states of a row in which something is done.
private enum ChannelState: String { case creating, live, ended, closing }

extension ChannelStore.Step {
  /// - Returns: `nil` if nothing is to be done.
  fileprivate init?(_ row: Row, at now: Date) throws(PostgresError) {
    guard let state = row["state"].flatMap(ChannelState.init), try row.decode("is_due"),
      let environment = row["environment"].flatMap(PushEnvironment.init)
    else { return nil }
    (self.row, topic, self.environment) = (try row.decode("id"), try row.decode("topic"), environment)
    switch (state, row["channel"]) {
    case (.creating, _): deed = .create
    case (.live, let channel?), (.ended, let channel?): deed = .say(try ChannelStore.Saying(row, at: now), on: channel)
    case (.closing, let channel?): deed = .delete(channel)
    case (_, nil): return nil
    }
  }
}

extension ChannelStore.Saying {
  fileprivate init(_ row: Row, at now: Date) throws(PostgresError) {
    let deadline: Date = try row.decode("expires_at")
    stamp = try row.decode("wanted_stamp")
    isEnd = row["wanted_event"] == "end"
    priority = try row.optional("wanted_priority") ?? 5
    // An end is of use as long as a phone may show the activity.
    expiresAt = isEnd ? now.addingTimeInterval(ActivityEnd.longest) : deadline
    guard let wanted = row["wanted"], let subject = row["app"].flatMap(App.init(rawValue:))?.activitySubject else {
      payload = nil
      return
    }
    payload = Self.payload(of: subject, wanted, stamp, isEnd: isEnd, until: deadline, at: now)
  }

  private static func payload<Subject: ActivitySubject>(
    of subject: Subject.Type, _ wanted: String, _ stamp: Int, isEnd: Bool, until end: Date, at now: Date
  ) -> String? {
    guard let state = Subject.Attributes.ContentState(text: wanted) else { return nil }
    var payload = LiveActivityPayload<Subject.Attributes>(
      isEnd ? .end(dismissedAt: state.dismissal(at: now)) : .update(alert: nil), state: state,
      timestamp: Date(timeIntervalSince1970: TimeInterval(stamp)))
    if !isEnd { payload.staleAt = end }
    return try? payload.encoded()
  }
}

extension SQL {
  /// Takes the creation of a channel that is asked for, and reads any other: the row, and `is_due`.
  fileprivate static func beginChannel(_ row: UUID, at now: Date) -> SQL {
    """
    WITH due AS (
      SELECT c.*, c.state NOT IN ('live', 'ended') OR c.wanted_stamp > c.said_stamp AS is_due
      FROM activity_channels c WHERE c.id = \(row) FOR UPDATE
    ), begun AS (
      UPDATE activity_channels c
      SET updated_at = \(now),
        state = CASE
          WHEN d.state = 'creating' THEN 'refused' WHEN d.wanted_event = 'end' THEN 'gone' ELSE 'creating' END,
        reason = CASE WHEN d.state = 'creating' THEN 'answer lost' WHEN d.wanted_event = 'end' THEN 'not needed' END
      FROM due d WHERE c.id = d.id AND d.state IN ('asked', 'creating')
      RETURNING c.id, c.state
    )
    SELECT d.id, d.app, d.topic, d.environment, d.channel, coalesce(b.state, d.state) AS state, d.is_due, d.wanted,
      d.wanted_stamp, d.wanted_event, d.wanted_priority, d.expires_at
    FROM due d LEFT JOIN begun b USING (id)
    """
  }

  /// Changes a row that is in one of the expected states: its `id`.
  fileprivate static func changeChannel(
    _ row: UUID, from states: [ChannelState], _ change: SQL, at now: Date
  ) -> SQL {
    """
    UPDATE activity_channels SET \(change), updated_at = \(now)
    WHERE id = \(row) AND state = ANY (\(states.map(\.rawValue)))
    RETURNING id
    """
  }

  /// Writes what was said, and after an end, that the activities have ended, and when to look at the channel again.
  ///
  /// A channel that is to say something else by now, because its subject is open again, stays in use.
  fileprivate static func saidOnChannel(_ row: UUID, _ saying: ChannelStore.Saying, at now: Date) -> SQL {
    """
    WITH said AS (
      UPDATE activity_channels
      SET said_stamp = greatest(said_stamp, \(saying.stamp)), updated_at = \(now)::timestamptz,
        state = CASE WHEN \(saying.isEnd) AND wanted_stamp = \(saying.stamp) THEN 'ended' ELSE state END
      WHERE id = \(row) AND state IN ('live', 'ended')
      RETURNING id, app, subject_id, state
    ), over AS (
      UPDATE live_activities a SET ended_at = \(now), ended_reason = 'ended' FROM said s
      WHERE \(saying.isEnd) AND a.subject_id = s.subject_id AND a.app = s.app AND a.channel_id = s.id
        AND a.ended_at IS NULL
    ), later AS (
      INSERT INTO activity_changes (app, subject_id, due_at, openings)
      SELECT s.app, s.subject_id, \(now.addingTimeInterval(ActivityEnd.longest))::timestamptz, '{}'::uuid[] FROM said s
      WHERE s.state = 'ended'
    )
    SELECT id FROM said
    """
  }
}
