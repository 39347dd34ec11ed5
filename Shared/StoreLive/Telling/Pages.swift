import FoundationEssentials
import Notifications
import Postgres

/// An audience, page by page.
///
/// Most events have one page only, which is a statement of its own. Large audiences come from a cursor that the server
/// keeps beyond the transaction, so that they are not worked out anew for each page. What people switch off
/// meanwhile is seen by the next event; whoever was deleted meanwhile makes the event be tried again, from its progress.
struct Pages: Sendable {
  /// A page with fewer candidates is the last.
  let size: Int
  private let cursor: SQL
  private let name = "audience_\(UUID().uuidString.lowercased())"
  /// The end of the page before; whoever handles the same event at the same time may have gone further.
  private var end: Audience.Place?
  private var wasOpened = false

  init(of size: Int) {
    self.size = size
    cursor = "\(identifier: name)"
  }

  /// The candidates after a place in the order of the audience, which is where the page before ended.
  mutating func next<N: Notice>(
    of announcement: Announcement<N>, after place: Audience.Place?, at now: Date, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard let kind = announcement.kind else { return [] }
    let rows: Rows
    if place != nil || announcement.audience.mayBeLarge {
      try await open(announcement.audience.candidates(of: kind, after: place, at: now), after: place, transaction)
      rows = try await transaction.query("FETCH \(unescaped: "\(size)") FROM \(cursor)")
    } else {
      rows = try await transaction.query(
        "\(announcement.audience.candidates(of: kind, after: nil, at: now)) LIMIT \(size)")
    }
    var zones = Zones()
    let candidates = try rows.map { try Candidate($0, except: announcement.actor, in: kind.app, at: now, &zones) }
    end = candidates.last.map(Audience.Place.init)
    return candidates
  }

  /// Sees to it that the cursor stands at a place.
  private mutating func open(_ rest: SQL, after place: Audience.Place?, _ transaction: Transaction) async throws {
    let session = try await transaction.query(
      """
      SELECT current_setting('enable_seqscan') AS scans, EXISTS (SELECT FROM pg_cursors WHERE name = \(name)) AS is_open
      """
    ).only()
    let (isOpen, scans): (Bool, String) = (try session.decode("is_open"), try session.decode("scans"))
    guard !isOpen || place != end else { return }
    if isOpen { _ = try await transaction.query("CLOSE \(cursor)") }
    // DEFAULT would be the server's, and not what the session has set.
    _ = try await transaction.pipeline([
      "SET LOCAL enable_seqscan = on", "DECLARE \(cursor) NO SCROLL CURSOR WITH HOLD FOR \(rest)",
      "SELECT set_config('enable_seqscan', \(scans), true)",
    ])
    wasOpened = true
  }

  /// Lets go of what the server keeps; where that is not possible, it ends with the session.
  func close(_ executor: some SQLExecutor) async {
    guard wasOpened else { return }
    _ = try? await executor.query("CLOSE \(cursor)")
  }
}
