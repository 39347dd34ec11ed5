package import FoundationEssentials
package import FunctionKit
import Notifications
package import Postgres
import PushPayload
package import StoreLive

/// The Live Activities of subjects that have changed, in PostgreSQL.
///
/// A change is a row of `activity_changes`. The run that takes it compares what the activities say with what is true, so
/// it does not matter how often a change is noted, nor in which order. The push is worded when it goes out.
package struct LiveActivityStore: Sendable {
  /// The most subjects in a transaction.
  private static let most = 20
  /// The longest that a run takes: the next one begins with the rest.
  private static let longest = Duration.seconds(30)

  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// A store in the database that the environment names; it connects at the first use.
  package static func live(_ environment: Environment, name: String) throws(FunctionError) -> LiveActivityStore {
    LiveActivityStore(try Connection(environment, name: name, givesWay: true, parameters: [("enable_seqscan", "off")]))
  }

  /// The fate of all that was due.
  package struct Result: Encodable, Sendable, Equatable {
    /// How many subjects had changed, or could have.
    package internal(set) var subjects = 0
    /// How many activities get a push that starts them.
    package internal(set) var started = 0
    /// How many activities and broadcast channels get a push that updates or ends what is shown.
    package internal(set) var told = 0
    /// When the next change comes due; absent if none does.
    package internal(set) var wakeAt: Date?

    fileprivate mutating func add(_ some: Result) {
      (subjects, started, told) = (subjects + some.subjects, started + some.started, told + some.told)
    }
  }

  /// Takes what is due, and queues pushes for the activities that say something else than what is true.
  ///
  /// A subject that cannot be told is put off, by a minute and then longer each time, and the others are told. If that has
  /// failed for a day, and no activity of it is younger, its activities end.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func check(_ event: EventContext, _ log: Log) async throws -> Result {
    let begin = ContinuousClock.now
    var result = Result()
    do {
      if event.dryRun {
        result.subjects = try await connection.query(.changedSubjects(at: event.now)).count
      } else {
        while ContinuousClock.now - begin < Self.longest {
          let some = try await checkSome(Self.most, event, log)
          guard some.subjects > 0 else { break }
          result.add(some)
        }
      }
      let next: Date? = try await connection.query(.nextChange).only().optional("next")
      // Another run may have locked what is due.
      result.wakeAt = next.map { max($0, event.now.addingTimeInterval(1)) }
      return result
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  /// Looks at some of what is due; if that fails because of its rows, at one subject after the other.
  private func checkSome(_ limit: Int, _ event: EventContext, _ log: Log) async throws -> Result {
    do {
      return try await GivingWay.repeating {
        try await connection.transaction { transaction in try await Self.checkSome(limit, event, transaction) }
      }
    } catch  where error.isOfRows {
      var result = Result()
      if limit > 1 {
        for _ in 0..<limit {
          let one = try await checkSome(1, event, log)
          guard one.subjects > 0 else { break }
          result.add(one)
        }
        return result
      }
      let putOff = try await GivingWay.repeating { () throws(PostgresError) in
        try await connection.pipeline([.knowingAllSubjects, .putOffChanges(at: event.now)])[1]
      }
      for row in putOff {
        let hasEnded: Bool = try row.decode("has_ended")
        log.error(
          hasEnded
            ? "The Live Activities of a subject end, because it could not be told for a day"
            : "The Live Activities of a subject are put off",
          ["error.cause": "\(error)"])
      }
      result.subjects = putOff.count
      return result
    }
  }

  private static func checkSome(
    _ limit: Int, _ event: EventContext, _ transaction: Transaction
  ) async throws -> Result {
    let taken = try await transaction.pipeline([.knowingAllSubjects, .takeChanges(limit, at: event.now)])[1]
    var result = Result()
    for (app, rows) in Dictionary(grouping: taken, by: { App(rawValue: $0["app"] ?? "") }) {
      guard let app, let rule = app.profile.activity, let subject = app.activitySubject else {
        result.subjects += rows.count
        continue
      }
      result.add(try await check(rows.compactMap { try Change($0) }, of: subject, rule, event, transaction))
    }
    return result
  }

  private static func check<Subject: ActivitySubject>(
    _ changes: [Change], of type: Subject.Type, _ rule: ActivityRule, _ event: EventContext, _ transaction: Transaction
  ) async throws -> Result {
    var result = Result()
    let all = try await Subject.all(changes.map(\.subject), at: event.now, transaction)
    for change in changes.sorted(by: { $0.subject.uuidString < $1.subject.uuidString }) {
      result.subjects += 1
      let shown = all[change.subject]
      if let shown, shown.isOpen {
        result.started += try await start(change, shown, rule, event, transaction)
        if !change.devices.isEmpty,
          let instead = Subject.insteadOfActivity(about: change.subject, on: change.devices, event)
        {
          _ = try await transaction.query(instead)
        }
      }
      result.told += try await tell(change.subject, shown, event, transaction)
    }
    return result
  }

  /// The changes of a subject.
  private struct Change {
    let subject: UUID
    /// The notifications that may open an activity; `nil` for all of the subject.
    let openings: [UUID]?
    /// The devices whose activity is gone.
    let devices: [UUID]

    /// - Returns: `nil` if its subject has no UUID.
    init?(_ row: Row) throws(PostgresError) {
      guard let subject = row["subject_id"].flatMap(UUID.init(uuidString:)) else { return nil }
      self.subject = subject
      openings = try row.decode("opens_all") ? nil : try row.decode("openings")
      devices = try row.decode("device_ids")
    }
  }

  /// Queues pushes for the activities and channels that say something else; those that never began end here.
  private static func tell<Subject: ActivitySubject>(
    _ subject: UUID, _ shown: Subject?, _ event: EventContext, _ transaction: Transaction
  ) async throws -> Int {
    let content = try shown?.state.text
    let state = shown?.state ?? Subject.Attributes.ContentState.calledOff(nil, at: event.now)
    let isOver = shown?.isOpen != true
    let told = try await transaction.query(
      .updateActivities(of: subject, in: Subject.app, to: content, state, isOver: isOver, event)
    ).affectedRows
    if isOver { _ = try await transaction.query(.endUnbegun(of: subject, in: Subject.app, at: event.now)) }
    return try await told + SubjectChannels.tell(subject, shown, at: event.now, transaction)
  }

  /// Queues the pushes that start activities, each once for ever, and notes when to look again.
  ///
  /// In a large group, those that can listen to a channel wait a little for it. Whether they name it is decided when they
  /// go out: a push that goes out once says what is true then.
  ///
  /// The person was told of the subject. Their switches, quiet hours and mutes are asked again: it may have been days ago.
  private static func start<Subject: ActivitySubject>(
    _ change: Change, _ shown: Subject, _ rule: ActivityRule, _ event: EventContext, _ transaction: Transaction
  ) async throws -> Int {
    let (now, app, deadline, subject) = (event.now, Subject.app, shown.state.closesAt, change.subject)
    _ = try await transaction.query(.noteChange(of: subject, in: app, at: deadline, openings: []))
    let opening = deadline.addingTimeInterval(-ActivityRule.longest)
    guard change.openings?.isEmpty != true else { return 0 }
    guard opening <= now else {
      _ = try await transaction.query(.noteChange(of: subject, in: app, at: opening, openings: change.openings))
      return 0
    }
    let openings = try await transaction.query(
      .activityOpenings(of: subject, Subject.self, rule, among: change.openings)
    ).map { try ActivityOpening($0) }
    let asked = openings.map(\.notification)
    var zones = Zones()
    let parts = try await transaction.query(.waiting(.unread(asked), in: app, at: now))
      .compactMap { try Waiting($0, of: app, at: now, &zones) }
    let byID = Dictionary(parts.map { ($0.id, $0) }) { first, _ in first }
    var (allowed, later): ([ActivityOpening], [Date: [UUID]]) = ([], [:])
    for opening in openings {
      guard let part = byID[opening.notification] else { continue }
      let gates = Gate.switches + [.quietHours]
      switch Recheck(at: now).judge(part, asking: gates, until: deadline).decision {
      case .notify: allowed.append(opening)
      case .hold(let hold): later[hold.until, default: []].append(part.id)
      case .suppress: break
      }
    }
    let isLarge = shown.people.map { $0 > rule.mostTokens } ?? false
    let coming = try await SubjectChannels.ask(
      for: isLarge ? Set(allowed.compactMap(\.place)) : [], about: subject, in: app, rule, until: deadline, at: now,
      transaction)
    var starting: [UUID] = []
    for opening in allowed {
      if let time = opening.place.flatMap({ coming[$0] }) {
        later[time, default: []].append(opening.notification)
      } else {
        starting.append(opening.token)
      }
    }
    let answers = try await transaction.pipeline(
      [.startActivities(starting, about: subject, until: deadline, event)]
        + later.map { .noteChange(of: subject, in: app, at: $0.key, openings: $0.value) })
    return answers[0].affectedRows
  }
}
