package import FoundationEssentials
package import FunctionKit
import Notifications
import Postgres
package import StoreLive

/// One run of a release, turn after turn, until nothing is due.
///
/// `held_people` is the queue of the people for whom something is due. A turn takes some of those who have waited longest,
/// and some of those who came last: however many are due at one moment, nobody whose time comes later waits behind all of
/// them. A transaction has a bound of rows. It takes at most ``mostOfOne`` rows of a person, and the others of that person
/// wait for the next turn. Only the acts of one notification have no bound: one statement counts all of them. So a person
/// with very many acts is released apart while the turns go on, and from the beginning if the last run took too long.
struct ReleaseRun {
  /// The most people in a turn, and the least.
  private static let (mostPeople, fewPeople) = (500, 20)
  /// How long a turn should take: somebody whose time comes meanwhile waits for its end.
  private static let turn = Duration.milliseconds(150)
  /// The most rows of one person in a transaction.
  static let mostOfOne = 500
  /// The most rows of somebody who is released together with others.
  private static let mostAmongOthers = 10_000
  /// The most rows in a transaction, and the least in one that gathers and takes long.
  private static let (mostRows, fewRows) = (2_000, 250)
  /// How long a turn gathers the rows of single people who have too many, after all others have been released; and how
  /// long one page of that should take.
  private static let (gathering, page) = (Duration.milliseconds(100), Duration.milliseconds(200))
  private let connection: Connection
  private let start: Date
  /// The longest that a run takes: the next one begins with the rest.
  private let longest: Duration
  /// How long the release of one person apart may take.
  private let longestApart: Duration
  private let began = ContinuousClock.now
  private var result = ReleaseResult()
  /// How many people have a turn; fewer after one that took too long.
  private var people = 200
  /// The most rows in a transaction, and in one that gathers; fewer after one that took too long.
  private var (rows, gathered) = (mostRows, mostRows / 2)
  /// How far the rows of a person who has too many are gathered; `nil` for all of them.
  private var progress: [Person: GatheredPage.Progress?] = [:]
  /// The people with so much that each of them is released apart, one after the other.
  private var large: Set<Person> = []
  private var apart: ReleaseApart?
  /// Why there was no connection to release somebody apart: they come after all others, on the only one.
  private(set) var refusal: (any Error)?
  /// The people who could not be locked in this run, because somebody else was at work on them.
  private var busy: Set<Person> = []
  private var correction: Correction
  /// Whether it has ended because of ``longest``.
  private var isUnfinished = false
  /// Whether more is due than one turn takes.
  private var isFlood = false
  /// Whether something is left of what a clock has done that was ahead.
  private var isClockLeft = false

  struct Person: Hashable {
    let user: UUID
    let app: App
  }

  private struct Due {
    let person: Person
    /// How many rows are due, at most one more than ``mostOfOne``.
    let rows: Int
    /// Their place in the queue.
    let since: Date
  }

  /// - Parameters:
  ///   - longest: how long it may take; the function's own time limit is a minute.
  ///   - longestApart: how much longer it may take to release somebody apart.
  init(
    _ connection: Connection, at now: Date, longest: Duration = .seconds(40),
    longestApart: Duration = ReleaseApart.longest
  ) {
    (self.connection, start, self.longest, self.longestApart) = (connection, now, longest, longestApart)
    correction = Correction(connection, until: began + longest)
  }

  /// The time of the run, which passes if it takes long: those whose time comes meanwhile have their turn.
  private var now: Date {
    let passed = ContinuousClock.now - began
    return isFlood || passed >= .seconds(1) ? start.addingTimeInterval(passed / .seconds(1)) : start
  }

  mutating func release() async throws -> ReleaseResult {
    try await correctClock()
    do {
      try await takeTurns()
      try await endApart(waiting: true)
    } catch {
      await apart?.giveUp()
      throw error
    }
    return try await ended()
  }

  private mutating func takeTurns() async throws {
    while hasTime {
      try await endApart()
      let corrected = try await correction.correctNext(at: now, except: apart?.person)
      let begin = ContinuousClock.now
      let due = try await due(limit: people)
      if due.isEmpty {
        if apart != nil { try await Task.sleep(for: ReleaseApart.pause) } else if corrected == 0 { return }
        continue
      }
      isFlood = isFlood || due.count > people / 2 || due.contains(where: isTooMuch)
      let others = due.filter { !large.contains($0.person) }
      if refusal == nil || others.isEmpty { beginApart(due) }
      for (app, due) in Dictionary(grouping: others.filter { !isTooMuch($0) }, by: \.person.app) {
        for people in parts(of: due) { try await release(people, of: app) }
      }
      let gathering = ContinuousClock.now
      if gathering - begin > Self.turn { people = max(people / 2, Self.fewPeople) }
      if gathering - begin < Self.turn / 2 { people = min(people * 2, Self.mostPeople) }
      // Others have not waited for it.
      for one in due where isTooMuch(one) && ContinuousClock.now - gathering < Self.gathering {
        try await gather(one.person)
      }
    }
    isUnfinished = true
    try await endApart()
    // However many others there are, each run releases one of those who come after all of them.
    if refusal != nil, apart == nil { beginApart(try await due(limit: people)) }
  }

  /// Begins to release apart the first one of some people for whom it is time.
  private mutating func beginApart(_ due: [Due]) {
    let left = longest + longestApart - (ContinuousClock.now - began)
    let one = due.filter { large.contains($0.person) && !isTooMuch($0) }.min { $0.since < $1.since }
    guard left > .zero, let person = one?.person else { return }
    apart = ReleaseApart(of: person, at: now, longest: min(longestApart, left), connection, sharing: refusal != nil)
  }

  /// Takes over what has become of the one who is released apart.
  ///
  /// If it fails and not because of their rows, it may be that connection's fault alone.
  private mutating func endApart(waiting: Bool = false) async throws {
    guard let apart, waiting || apart.hasEnded else { return }
    do {
      result.add(try await apart.releases())
      self.apart = nil
    } catch  where !Task.isCancelled {
      self.apart = nil
      if error.tookTooLong {
        try await putAside(apart.person, error, because: ReleaseApart.tookTooLong)
      } else if error.isOfRows {
        try await putAside(apart.person, error)
      } else if apart.sharesConnection {
        throw error
      } else {
        refusal = error
      }
    }
  }

  /// Undoes what a clock has done that was ahead.
  private mutating func correctClock() async throws {
    let most = SQL.mostHoldsSinceNow
    while hasTime, try await connection.query(.holdsSinceNow(now)).count == most {}
    while hasTime, try await !connection.query(.suppressionsAhead(of: now)).isEmpty,
      try await connection.query(.suppressionsSinceNow(now)).count == most
    {}
    // An app that is at work on the rest has a second to end it.
    let left = try await connection.pipeline([.holdsAhead(of: now), .suppressionsAhead(of: now)])
    isClockLeft = !left.allSatisfy(\.isEmpty)
  }

  private var hasTime: Bool { ContinuousClock.now - began < longest }

  /// Says what would become of what is due for the first people, and changes nothing.
  mutating func rehearse() async throws -> ReleaseResult {
    for (app, due) in Dictionary(grouping: try await due(limit: 1_000), by: \.person.app) {
      result.add(
        try await connection.transaction(readOnly: true) { [now] transaction in
          try await Self.decide(on: due.map(\.person.user), of: app, at: now, transaction)
        })
    }
    return try await ended()
  }

  private func ended() async throws -> ReleaseResult {
    var result = result
    let next: Date? = try await connection.query(.nextRelease).only().optional("next")
    // An app that is at work on somebody has a second to end it.
    let soon = now.addingTimeInterval(1)
    result.wakeAt = busy.isEmpty ? next : next.map { max($0, soon) }
    if correction.isIncomplete || isUnfinished || isClockLeft {
      result.wakeAt = min(result.wakeAt ?? soon, isUnfinished ? now : soon)
    }
    return result
  }

  /// Half of them have waited longest, and half came last.
  ///
  /// While somebody is released apart, nobody else is who has to be; their rows may still be gathered.
  private mutating func due(limit: Int) async throws -> [Due] {
    let rows = try await connection.query(
      .peopleDue(limit / 2 + busy.count + large.count, most: Self.mostOfOne + 1, at: now))
    return try rows.compactMap { row in
      guard let app = App(rawValue: try row.decode("app")) else { return nil }
      let person = Person(user: try row.decode("user_id"), app: app)
      if try row.decode("is_large") { large.insert(person) }
      let due = Due(person: person, rows: try row.decode("rows"), since: try row.decode("release_at"))
      guard !busy.contains(person), apart?.person != person else { return nil }
      return apart == nil || !large.contains(person) || isTooMuch(due) ? due : nil
    }
  }

  /// Whether what one person has due must be gathered before it is decided.
  private func isTooMuch(_ due: Due) -> Bool {
    guard due.rows > Self.mostOfOne else { return false }
    return if case .some(.none) = progress[due.person] { false } else { true }
  }

  /// People whose rows together are not too many for a transaction.
  private func parts(of due: [Due]) -> [[UUID]] {
    var (parts, count) = ([[UUID]](), Int.max)
    for one in due {
      let own = min(one.rows, Self.mostOfOne)
      if count > rows - own { (parts, count) = (parts + [[]], 0) }
      parts[parts.count - 1].append(one.person.user)
      count += own
    }
    return parts
  }
}

extension ReleaseRun {
  /// Releases what is due for some people of an app.
  ///
  /// A person who cannot be released harms nobody: a release that fails because of its rows is done again in halves,
  /// and a person whose release fails alone is put aside. When the run's time is over, the next run does the rest.
  private mutating func release(_ people: [UUID], of app: App) async throws {
    guard hasTime else { return }
    let begin = ContinuousClock.now
    do {
      result.add(try await Self.release(people, of: app, at: now, connection))
      if ContinuousClock.now - begin < .milliseconds(500) { rows = min(rows * 2, Self.mostRows) }
    } catch  where error.isOfRows {
      if (error as? PostgresError)?.gaveWay != true { rows = max(1, rows / 2) }
      guard people.count > 1 else {
        let person = Person(user: people[0], app: app)
        // It may only need more time than a statement has among others'.
        if error.tookTooLong, large.insert(person).inserted { return }
        return try await putAside(person, error)
      }
      try await release(Array(people.prefix(people.count / 2)), of: app)
      try await release(Array(people.dropFirst(people.count / 2)), of: app)
    }
  }

  /// Merges some of what is due for a person who has too much of it; nothing is told yet.
  private mutating func gather(_ person: Person) async throws {
    let (connection, now, limit) = (connection, now, gathered)
    var place = progress[person] ?? nil
    do {
      let begin = ContinuousClock.now
      let page = try await connection.transaction { [place] transaction in
        try await Self.lock([person.user], of: person.app, transaction)
        let acts = try await transaction.query(
          .acts(of: person.user, in: person.app, after: place, limit: limit, at: now))
        let newest = place?.newest(for: acts, of: person.app) ?? []
        let open: [UUID] = newest.isEmpty ? [] : try await transaction.query(.stillOpen(newest)).decode("id")
        let page = try GatheredPage(acts, of: person.app, after: place, open: Set(open))
        _ = try await transaction.pipeline(
          SQL.write(page, at: now) + SQL.queueAgain([person.user], of: person.app, at: now))
        return page
      }
      result.merged += page.merged.count
      place = page.count < limit ? nil : page.last
      progress[person] = .some(place)
      if page.last.rows > Self.mostAmongOthers { large.insert(person) }
      let time = ContinuousClock.now - begin
      if time > Self.page, gathered > Self.fewRows { gathered /= 2 }
      if time < Self.page / 2 { gathered = min(gathered * 2, Self.mostRows) }
    } catch  where error.isOfRows {
      let gaveWay = (error as? PostgresError)?.gaveWay == true
      guard gathered > 10, !gaveWay else { return try await putAside(person, error) }
      gathered /= 2
    }
  }

  /// Lets a person wait whose release fails, longer each time; who is locked is only left out for this run.
  private mutating func putAside(_ person: Person, _ error: any Error, because reason: String? = nil) async throws {
    let failure = error as? PostgresError
    if failure?.gaveWay != true {
      do {
        _ = try await connection.query(
          .putAside(person.user, of: person.app, because: reason ?? failure?.description ?? "\(error)", at: now))
        result.putAside = (result.putAside ?? 0) + 1
        return
      } catch let other where !other.gaveWay && (other.code != .timedOut || other.isOfNetwork) {
        throw other
      } catch {
        // It is the person's place that somebody has locked.
      }
    }
    busy.insert(person)
  }
}

extension ReleaseRun {
  /// Releases what is due for some people of an app, in one transaction.
  static func release(
    _ people: [UUID], of app: App, at now: Date, _ connection: Connection
  ) async throws -> [Release] {
    try await connection.transaction { transaction in
      try await lock(people, of: app, transaction)
      let releases = try await decide(on: people, of: app, at: now, transaction)
      _ = try await transaction.pipeline(SQL.write(releases, at: now) + SQL.queueAgain(people, of: app, at: now))
      return releases
    }
  }

  /// Locks what decides about people: their state first, and their places in the queue last.
  private static func lock(_ people: [UUID], of app: App, _ transaction: Transaction) async throws {
    _ = try await transaction.pipeline([
      GivingWay.inTransaction, .lockState(of: people, in: app), .lockPlaces(of: people, in: app),
    ])
  }

  /// Decides on some of what waits for people of an app, and writes nothing.
  /// - Parameter due: the notifications, as ``SQL/due(for:in:limit:at:)`` finds them; `nil` for all that are due.
  static func decide(
    on people: [UUID], of app: App, at now: Date, due: SQL? = nil, _ transaction: Transaction
  ) async throws -> [Release] {
    let due = due ?? .due(for: people, in: app, limit: mostOfOne, at: now)
    let subjects: SQL = .subjects(of: due)
    let rows = try await transaction.pipeline([
      .waiting(due, in: app, at: now), .recentPushes(of: people, in: app, at: now), .shown(subjects, in: app, at: now),
      .states(subjects, in: app),
    ])
    var zones = Zones()
    var found: [Waiting] = []
    var releases: [Release] = []
    for row in rows[0] {
      guard let part = try Waiting(row, of: app, at: now, &zones) else {
        // A kind that this version does not know stays in the inbox and is not tried again.
        releases.append(Release(givingUp: try row.decode("notification_id"), at: now))
        continue
      }
      found.append(part)
    }
    let current = try await CurrentFacts(of: found, at: now, transaction)
    let waiting = Dictionary(grouping: found.map { $0.orGone(current) }, by: \.candidate.user)
    let rechecks = try Recheck.of(rows[1], at: now)
    let phones = try Phone.phones(shown: rows[2], states: rows[3])
    for person in people {
      guard let parts = waiting[person] else { continue }
      releases.append(
        try Release(parts, rechecks[person] ?? Recheck(at: now), phone: phones[person] ?? Phone()))
    }
    return releases
  }
}

extension NotificationStore {
  /// Asks the gates again about every held notification that is due, and sends, merges, holds or ends it.
  ///
  /// Two concurrent releases may run. Each transaction locks its people first, so a concurrent release and event see each
  /// other's pushes.
  /// - Parameters:
  ///   - dryRun: whether it only says what would become of the first people's.
  ///   - log: learns if there was no second connection.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func release(at now: Date, dryRun: Bool, log: Log = Log()) async throws -> ReleaseResult {
    var run = ReleaseRun(connection, at: now)
    defer {
      if let refusal = run.refusal {
        log.warning(
          "There is no second connection: people with very many acts are released last",
          ["error.cause": "\(refusal)"])
      }
    }
    do {
      return try await dryRun ? run.rehearse() : run.release()
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }
}

/// The result of releasing held notifications.
package struct ReleaseResult: Encodable, Sendable, Equatable {
  /// The number of notifications that were sent.
  package internal(set) var released = 0
  /// The number of notifications that were merged into those.
  package internal(set) var merged = 0
  /// The number of notifications in summaries after quiet hours; a summary itself counts as released.
  package internal(set) var summarized = 0
  /// The number of notifications that wait again.
  package internal(set) var held = 0
  /// The number of notifications that were not sent; they are in the inbox, or have left it.
  package internal(set) var suppressed = 0
  /// The number of people whose release has failed, and is tried again later; absent if there is none.
  package internal(set) var putAside: Int?
  /// When the next ones come due; absent if nothing waits.
  package internal(set) var wakeAt: Date?
}

extension ReleaseResult {
  mutating func add(_ releases: [Release]) {
    for release in releases {
      released += release.pushes.count + (release.summary == nil ? 0 : 1)
      summarized += release.summary?.entries.count ?? 0
      merged += release.merged.count
      held += release.held.count
      suppressed += release.suppressed.count
    }
  }
}

extension Error {
  /// Whether another choice of rows may not have failed.
  var isOfRows: Bool {
    guard let error = self as? PostgresError else { return !(self is CancellationError) }
    if error.gaveWay { return true }
    switch error.code {
    case .timedOut: return !error.isOfNetwork
    case .decoding: return true
    case .sqlState(let state): return ["22", "23", "P0", "54"].contains { state.hasPrefix($0) }
    default: return false
    }
  }

  /// Whether it says nothing of the rows: somebody had locked them, or it took too long.
  var isOfMoment: Bool {
    guard let error = self as? PostgresError else { return self is CancellationError }
    return error.gaveWay || error.code == .timedOut
  }

  /// Whether a release apart that nobody has given up was stopped, or a statement of it, because of its time.
  var tookTooLong: Bool {
    guard let error = self as? PostgresError else { return self is CancellationError }
    return error.code == .cancelled || error.code == .timedOut && !error.isOfNetwork
  }
}
