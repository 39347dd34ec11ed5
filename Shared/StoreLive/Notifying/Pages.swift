import FoundationEssentials
import Notifications
import Postgres

/// An audience, page by page.
///
/// Most events have one page only, which is one statement. A large audience comes from a cursor, so that it is not
/// computed again for each page. A switch that changes meanwhile counts from the next event on. If a person is deleted
/// meanwhile, the event is retried from its progress.
struct Pages: Sendable {
  /// A page with fewer candidates is the last.
  let size: Int
  private let connection: Connection
  private var cursor: AudienceCursor?
  /// The end of the previous page; another process with the same event may have gone further.
  private var end: Audience.Place?

  /// - Parameter connection: a large audience is read on another connection like this one.
  init(of size: Int, _ connection: Connection) { (self.size, self.connection) = (size, connection) }

  /// The candidates after a place in the audience: the end of the previous page.
  mutating func next<N: Notice>(
    of announcement: Announcement<N>, after place: Audience.Place?, at now: Date, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard let kind = announcement.kind else { return [] }
    let (audience, actor) = (announcement.audience, announcement.actor)
    let decode = { @Sendable (rows: Rows) in
      var zones = Zones()
      return try rows.map { try Candidate($0, except: actor, in: kind.app, at: now, &zones) }
    }
    let rest = audience.candidates(of: kind, after: place, at: now)
    let candidates: [Candidate]
    if place == nil, try await !audience.isLarger(than: size, transaction) {
      candidates = try decode(try await transaction.query("\(rest) LIMIT \(size)"))
    } else {
      let reached = place == end ? cursor : nil
      let cursor =
        reached ?? AudienceCursor(rest, by: size, on: connection.another(statementTimeout: .seconds(15)), decode)
      self.cursor = cursor
      candidates = try await cursor.next()
    }
    end = candidates.last.map(Audience.Place.init)
    return candidates
  }
}
