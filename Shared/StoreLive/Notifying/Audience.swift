package import FoundationEssentials
import FunctionKit
package import Notifications
package import Postgres
import Synchronization

/// The candidates of a notice, as a statement.
package struct Audience: Sendable {
  /// A query with a row for each person and subject.
  ///
  /// Its columns are `user_id, subject_id, reason, eligibility, scope_id`, and for some kinds `proposal_id` or
  /// `travel_minutes, travel_mode, traffic`. An `eligibility` of NULL is `open`. The scope is the project or group whose
  /// switches count; NULL for none.
  let people: SQL
  /// A query with about as many rows as there are people; `nil` for a small audience.
  var crowd: SQL?

  package static let nobody = Audience(people: "SELECT WHERE false")

  /// A person whom an event addresses.
  package static func person(_ user: UUID, about subject: Subject) -> Audience {
    Audience(
      people: """
        SELECT u.id AS user_id, \(subject.id)::text AS subject_id, \(RecipientReason.addressee.rawValue) AS reason,
          NULL AS eligibility, NULL::uuid AS scope_id
        FROM users u WHERE u.id = \(user)
        """)
  }

  /// Whether there are about more people than `size`.
  func isLarger(than size: Int, _ transaction: some QueryExecutor) async throws -> Bool {
    guard let crowd else { return false }
    return try await !transaction.query("\(crowd) OFFSET \(size) LIMIT 1").isEmpty
  }

  /// The candidates in the order of their ids, with their devices and their preferences for a kind.
  func candidates(of kind: Kind, after place: Place?, at now: Date) -> SQL {
    let rest: SQL = place.map { "WHERE (p.user_id, p.subject_id) > (\($0.user), \($0.subject)::text)" } ?? ""
    let settings = SettingsSQL(of: kind, for: "p")
    return """
      SELECT p.*, \(settings.columns), \(settings.mute), ARRAY(
        SELECT d.id FROM device_tokens d
        WHERE d.user_id = p.user_id AND d.app = \(kind.app.rawValue) AND d.is_active IS NOT FALSE ORDER BY d.id) AS devices,
        \(SQL.isViewing(kind.app, user: "p.user_id", subject: "p.subject_id", at: now)) AS is_viewing,
        \(SQL.isGone("p.user_id")) AS is_gone
      FROM (\(people)) p
      \(settings.tables)
      \(rest)
      ORDER BY p.user_id, p.subject_id
      """
  }

  /// A place in the order of an audience.
  struct Place: Decodable, Equatable {
    let user: UUID
    let subject: String

    init(_ candidate: Candidate) {
      (user, subject) = (candidate.user, candidate.subjectID)
    }
  }
}

/// The notices of an event with their audience.
package struct Announcement<N: Notice>: Sendable {
  /// The notices by their subject's id; a schedule's event may have several.
  let notices: [String: N]
  let audience: Audience
  let actor: Actor
  /// The inbox entry of the only person, if the app has made it already.
  let entry: UUID?
  /// The kind of all notices; `nil` without notices.
  let kind: Kind?
  /// Statements for the transaction that notifies the last person.
  let closing: [SQL]
  /// Why there is no notice, if that has a name.
  private(set) var reason: String?
  /// Whether its subject was settled and is open again: what people were told of it before does not count.
  var isAskedAgain = false
  /// The proposal whose lead it is made from.
  var lead: UUID?
  /// The proposal whose lead the closing statements change.
  var newLead: UUID?
  /// The number of voters for other devices, in the transaction that notifies the last person.
  var voteCount: VoteCount?

  /// Announces any number of notices of one kind.
  /// - Parameter entry: the inbox entry of an audience of one person, if there already is one.
  package init(_ notices: [N], to audience: Audience, except actor: Actor = .unknown, entry: UUID? = nil) {
    self.init(notices, to: audience, except: actor, entry: entry, closing: [])
  }

  /// Announces nothing.
  /// - Parameter reason: the result's reason.
  package static func nothing(because reason: String) -> Announcement {
    var announcement = Announcement([], to: .nobody)
    announcement.reason = reason
    return announcement
  }

  init(_ notices: [N], to audience: Audience, except actor: Actor, entry: UUID? = nil, closing: [SQL]) {
    (kind, self.entry) = (notices.first?.kind, entry)
    self.notices = Dictionary(notices.map { ($0.subject.id, $0) }) { first, _ in first }
    (self.audience, self.actor, self.closing) = (audience, actor, closing)
  }

  /// Whether an experiment with the variants of its notices is on; without variants, the database is not asked.
  func isExperiment(_ transaction: some QueryExecutor) async throws -> Bool {
    guard let kind, notices.values.contains(where: { !$0.variants.isEmpty }) else { return false }
    let rows = try await transaction.query(
      "SELECT FROM experiments WHERE app = \(kind.app.rawValue) AND kind = \(kind.name) AND is_on")
    return !rows.isEmpty
  }
}

extension Candidate {
  package init(_ row: Row, except actor: Actor, in app: App, at now: Date, _ zones: inout Zones) throws(PostgresError) {
    self.init(
      user: try row.decode("user_id"), subjectID: try row.decode("subject_id"), reason: try row.decode("reason"))
    isActor = actor.accounts.contains(user)
    try read(row, in: app, at: now, &zones)
    if try row.decode("is_gone") { eligibility = .gone }
  }

  /// Reads the person's switches, quiet hours, mutes and limits.
  package mutating func read(_ row: Row, in app: App, at now: Date, _ zones: inout Zones) throws(PostgresError) {
    isEnabled = try row.decode("is_enabled")
    level = row["level"].flatMap(Level.init) ?? .all
    override = try row.optional("override")
    isOverrideOfProposal = try row.optional("is_of_proposal") ?? false
    personal = try row.optional("personal")
    sound = row["sound"]
    allowsCritical = try row.optional("allows_critical") ?? false
    timeZone = row["timezone"]
    language = row["language"].map(Language.init(nearestTo:)) ?? .english
    travel = row["travel_minutes"].flatMap(Int.init).map {
      Travel(minutes: $0, mode: row["travel_mode"], traffic: row["traffic"])
    }
    eligibility = row["eligibility"].flatMap(Eligibility.init) ?? .open
    devices = try row.decode("devices")
    isViewing = try row.decode("is_viewing")
    let profile = app.profile
    hourlyLimit = try row.optional("hourly_limit") ?? profile.hourlyLimit
    wantsQuietSummary = try row.optional("wants_summary") ?? profile.summarizesQuietHours
    mutedUntil = try row.optional("muted_until").flatMap { until in until > now ? until : nil }
    var end = mutedUntil
    if let hours = try QuietHours(row, in: timeZone) {
      let rules = zones.rules(of: timeZone)
      quietHours = hours.current(at: now, in: rules)
      end = hours.end(ifQuietAt: end ?? now, in: rules) ?? end
    }
    quietUntil = end.map { $0.addingTimeInterval(ReleaseJitter.delay(for: user)) }
  }
}

extension RecipientReason: PostgresDecodable {}

/// An audience, page by page.
///
/// Most events have one page only, which is one statement. A large audience comes from a cursor, so that it is not
/// computed again for each page. A switch that changes meanwhile counts from the next event on. If a person is deleted
/// meanwhile, the event is retried from its progress.
final class Pages: Sendable {
  /// A page with fewer candidates is the last.
  private let size: Int
  /// `nil` if only an audience of less than a page is wanted.
  private let connection: Connection?
  private let state = Mutex(State())

  private struct State {
    var cursor: AudienceCursor?
    /// The end of the previous page; another process with the same event may have gone further.
    var end: Audience.Place?
  }

  struct Page {
    var candidates: [Candidate] = []
    /// The last candidate, if more may follow.
    var end: Audience.Place?
  }

  /// - Parameter connection: a large audience is read on another connection like this one.
  init(of size: Int, _ connection: Connection) { (self.size, self.connection) = (size, connection) }

  /// Audiences of less than a page, and no others.
  init(below size: Int) { (self.size, connection) = (size, nil) }

  /// Whether an audience may have several pages.
  var mayFollow: Bool { connection != nil }

  /// The candidates after a place in the audience, which is the end of the previous page.
  ///
  /// - Returns: `nil` if there are too many.
  func next<N: Notice>(
    of announcement: Announcement<N>, after place: Audience.Place?, at now: Date, _ executor: some QueryExecutor
  ) async throws -> Page? {
    guard let kind = announcement.kind else { return Page() }
    let (audience, actor) = (announcement.audience, announcement.actor)
    let decode = { @Sendable (rows: Rows) in
      var zones = Zones()
      return try rows.map { try Candidate($0, except: actor, in: kind.app, at: now, &zones) }
    }
    let rest = audience.candidates(of: kind, after: place, at: now)
    var page = Page()
    if place == nil, try await !audience.isLarger(than: size, executor) {
      page.candidates = try decode(try await executor.query("\(rest) LIMIT \(size)"))
      state.withLock { $0.cursor = nil }
    } else if let connection {
      // After a rollback the first page is read again. If it was the only page, it has no end to tell it by.
      let reached = place == nil ? nil : state.withLock { $0.end == place ? $0.cursor : nil }
      let cursor =
        reached ?? AudienceCursor(rest, by: size, on: connection.another(statementTimeout: .seconds(15)), decode)
      state.withLock { $0.cursor = cursor }
      page.candidates = try await cursor.next()
    } else {
      return nil
    }
    page.end = page.candidates.count == size ? page.candidates.last.map(Audience.Place.init) : nil
    guard mayFollow || page.candidates.count < size else { return nil }
    state.withLock { [end = page.end] in $0.end = end }
    return page
  }
}

/// A large audience on its own connection and transaction: while one page is written, the next is read.
final class AudienceCursor: Sendable {
  private let demand: AsyncStream<Void>.Continuation
  private let pages: AsyncThrowingStream<[Candidate], any Error>

  /// Begins to read the first page.
  /// - Parameter size: a page with fewer candidates is the last.
  init(
    _ audience: SQL, by size: Int, on connection: Connection, _ decode: @escaping @Sendable (Rows) throws -> [Candidate]
  ) {
    let (demands, demand) = AsyncStream.makeStream(of: Void.self)
    let (pages, page) = AsyncThrowingStream.makeStream(of: [Candidate].self)
    (self.demand, self.pages) = (demand, pages)
    Task {
      do {
        try await connection.transaction(readOnly: true) { transaction in
          _ = try await transaction.pipeline([
            "SET LOCAL enable_seqscan = on", "DECLARE audience NO SCROLL CURSOR FOR \(audience)",
          ])
          for await _ in demands {
            page.yield(try decode(try await transaction.query("FETCH \(unescaped: "\(size)") FROM audience")))
          }
        }
        page.finish()
      } catch {
        page.finish(throwing: error)
      }
    }
    demand.yield()
  }

  deinit { demand.finish() }

  /// The next page.
  func next() async throws -> [Candidate] {
    var iterator = pages.makeAsyncIterator()
    guard let page = try await iterator.next() else {
      throw FunctionError(.unavailable, "The people were not read to the end.")
    }
    demand.yield()
    return page
  }
}
