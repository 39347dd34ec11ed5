import FoundationEssentials
import Notifications
import Postgres
import Synchronization

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
