import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// One run of a release, turn after turn, until nothing is due.
///
/// `held_people` is the queue of the people for whom something is due. A turn takes some of those who have waited longest,
/// and the next one some of those who came last: however many are due at one moment, nobody whose time comes later waits
/// behind all of them. A transaction has a bound of rows. It takes at most ``mostOfOne`` rows of a person, and the others
/// of that person wait for the next turn. Only what one notification tells of has no bound: its acts are counted anew when
/// it is told. Who is told of very many is released apart, while the turns go on.
struct ReleaseRun {
  /// The most people in a turn, and the least.
  private static let (mostPeople, fewPeople) = (500, 20)
  /// How long a turn should take: somebody whose time comes meanwhile waits for its end.
  private static let turn = Duration.milliseconds(150)
  /// The most rows of one person in a transaction.
  static let mostOfOne = 500
  /// Who had more rows than this is released apart.
  private static let mostAmongOthers = 10_000
  /// The most rows in a transaction.
  private static let mostRows = 2_000
  /// How long a turn gathers what single people have too much of.
  private static let gathering = Duration.milliseconds(100)
  private let connection: Connection
  private let start: Date
  /// What is left after this time starts the next run.
  private let longest: Duration
  private let began = ContinuousClock.now
  private var result = ReleaseResult()
  /// How many people have a turn; fewer after one that took too long.
  private var people = 200
  /// The most rows in a transaction, and in one that gathers; fewer after one that took too long.
  private var (rows, gathered) = (mostRows, mostRows / 2)
  /// How far those are gathered of whom there is too much; `nil` for all of it.
  private var progress: [Person: GatheredPage.Place?] = [:]
  /// Those of whom so much is gathered that they are released apart, one after the other.
  private var large: Set<Person> = []
  private var apart: ReleaseApart?
  /// Who could not be locked in this run, because somebody else was at work on them.
  private var busy: Set<Person> = []
  private var correction: Correction
  /// Whether it has ended because of ``longest``.
  private var isUnfinished = false
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
  }

  /// - Parameter longest: how long it may take; the function's own time limit is a minute.
  init(_ connection: Connection, at now: Date, longest: Duration = .seconds(40)) {
    (self.connection, start, self.longest, correction) = (connection, now, longest, Correction(connection))
  }

  /// The time of the run, which passes if it takes long.
  private var now: Date {
    let passed = ContinuousClock.now - began
    return passed < .seconds(1) ? start : start.addingTimeInterval(passed / .seconds(1))
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
    var newestFirst = false
    while true {
      let begin = ContinuousClock.now
      guard begin - began < longest else {
        isUnfinished = true
        break
      }
      try await endApart()
      let corrected = try await correction.correctNext(at: now)
      let due = try await due(newestFirst: newestFirst, limit: people)
      if due.isEmpty {
        if apart != nil { try await Task.sleep(for: ReleaseApart.pause) } else if corrected == 0 { break }
        continue
      }
      for one in due where isTooMuch(one) && ContinuousClock.now - begin < Self.gathering {
        try await gather(one.person)
      }
      let decided = due.filter { !isTooMuch($0) }
      if apart == nil, let one = decided.first(where: { large.contains($0.person) }) {
        apart = ReleaseApart(of: one.person, at: now, connection)
      }
      for (app, due) in Dictionary(grouping: decided.filter { !large.contains($0.person) }, by: \.person.app) {
        for people in parts(of: due) { try await release(people, of: app) }
      }
      newestFirst.toggle()
      let time = ContinuousClock.now - begin
      if time > Self.turn { people = max(people / 2, Self.fewPeople) }
      if time < Self.turn / 2 { people = min(people * 2, Self.mostPeople) }
    }
  }

  /// Takes over what has become of the one who is released apart.
  private mutating func endApart(waiting: Bool = false) async throws {
    guard let apart, waiting || apart.hasEnded else { return }
    do {
      result.add(try await apart.releases())
      self.apart = nil
    } catch  where error.isOfRows {
      self.apart = nil
      try await putAside(apart.person, error)
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
    for (app, due) in Dictionary(grouping: try await due(newestFirst: false, limit: 1_000), by: \.person.app) {
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
    if correction.isIncomplete || isUnfinished || isClockLeft { result.wakeAt = min(result.wakeAt ?? soon, soon) }
    return result
  }

  private func due(newestFirst: Bool, limit: Int) async throws -> [Due] {
    let rows = try await connection.query(
      .peopleDue(newestFirst: newestFirst, limit: limit + busy.count + large.count, most: Self.mostOfOne + 1, at: now))
    return try rows.compactMap { row in
      guard let app = App(rawValue: try row.decode("app")) else { return nil }
      let person = Person(user: try row.decode("user_id"), app: app)
      guard !busy.contains(person), apart == nil || !large.contains(person) else { return nil }
      return Due(person: person, rows: try row.decode("rows"))
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
  /// Who cannot be released harms nobody: what fails because of its rows is done again in halves, and one person's that
  /// fails alone is put aside.
  private mutating func release(_ people: [UUID], of app: App) async throws {
    let begin = ContinuousClock.now
    do {
      result.add(try await Self.release(people, of: app, at: now, connection))
      if ContinuousClock.now - begin < .milliseconds(500) { rows = min(rows * 2, Self.mostRows) }
    } catch  where error.isOfRows {
      if (error as? PostgresError)?.gaveWay != true { rows = max(1, rows / 2) }
      guard people.count > 1 else {
        let person = Person(user: people[0], app: app)
        // It may only need more time than a statement has among others'.
        if (error as? PostgresError)?.code == .timedOut, large.insert(person).inserted { return }
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
      if place == nil, page.last.rows > Self.mostAmongOthers { large.insert(person) }
      if ContinuousClock.now - begin < .milliseconds(250) { gathered = min(gathered * 2, Self.mostRows) }
    } catch  where error.isOfRows {
      let gaveWay = (error as? PostgresError)?.gaveWay == true
      guard gathered > 10, !gaveWay else { return try await putAside(person, error) }
      gathered /= 2
    }
  }

  /// Lets a person wait whose release fails, longer each time, so that others' goes on.
  ///
  /// Somebody on whom an app is at work is only left out for this run.
  private mutating func putAside(_ person: Person, _ error: any Error) async throws {
    let failure = error as? PostgresError
    if failure?.gaveWay != true {
      do {
        _ = try await connection.query(
          .putAside(person.user, of: person.app, because: failure?.description ?? "\(error)", at: now))
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
}

extension ReleaseResult {
  fileprivate mutating func add(_ releases: [Release]) {
    for release in releases {
      released += release.pushes.count + (release.summary == nil ? 0 : 1)
      summarized += release.summary?.entries.count ?? 0
      merged += release.merged.count
      held += release.held.count
      suppressed += release.suppressed.count
    }
  }
}
