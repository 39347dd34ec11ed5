import Documents
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

/// The part of a person's history that is listed.
struct PersonChoice: Sendable {
  /// The decisions that come after this place; `nil` for the newest.
  var before: DecisionPlace?
  /// Only decisions with this outcome.
  var outcome: DecisionOutcome?
  /// The devices that come after this one; `nil` for the first.
  var devicesAfter: DevicePlace?
}

/// The decisions about one person.
struct PersonHistory {
  /// How many are listed.
  private static let listed = 50
  /// How many are looked through for an outcome.
  private static let most = 200

  private let person: UUID
  private let since: Date
  private let app: SQL

  init(of person: UUID, since: Date, app: App?) {
    (self.person, self.since) = (person, since)
    self.app = app.map { "AND d.app = \($0.rawValue)" } ?? ""
  }

  // Times are compared in pairs with the person, so that only the index of both columns has them: that of the times would
  // be read through what was decided about everybody else. An index is entered at a pair, and left where the person ends.

  /// How many there are, as `n`; more than ``BoundedCount/most`` are not counted.
  private var count: SQL {
    """
    SELECT count(*) AS n FROM (
      SELECT FROM decisions d
      WHERE (d.user_id, d.created_at) > (\(person), \(since)) AND (d.user_id, d.created_at) <= (\(person), 'infinity')
        \(app)
      ORDER BY d.user_id, d.created_at LIMIT \(BoundedCount.most + 1)) d
    """
  }

  /// The newest of them, where the list goes on, `nil` at its end, and how many there are, as a ``BoundedCount``.
  func newest(
    _ choice: PersonChoice, _ transaction: Transaction
  ) async throws -> (decisions: [DecisionReport], next: DecisionPlace?, total: Int) {
    var (decisions, place): ([DecisionReport], DecisionPlace?) = ([], choice.before)
    let first = try await transaction.pipeline([page(after: place), count])
    let total: Int = try first[1].only().decode("n")
    var rows = first[0]
    for number in 1...(choice.outcome == nil ? 1 : Self.most / Self.listed) {
      if number > 1 { rows = try await transaction.query(page(after: place)) }
      let page = rows.prefix(Self.listed)
      let reports = try await transaction.decisions(
        page.map { row throws(PostgresError) in try DecisionKey(row) }, hasAttempts: false)
      for (row, report) in zip(page, reports) {
        if decisions.count == Self.listed { return (decisions, place, total) }
        if choice.outcome ?? report.outcome == report.outcome { decisions.append(report) }
        place = DecisionPlace(row)
      }
      if rows.count == page.count { return (decisions, nil, total) }
    }
    return (decisions, place, total)
  }

  /// The keys of a page with the text `at`, and one more if there are more.
  private func page(after place: DecisionPlace?) -> SQL {
    let rest: SQL =
      place.map { place in
        """
        AND (d.created_at, d.function, d.source, d.event_id, d.subject_id)
          < (\(place.at)::text::timestamptz, \(place.function), \(place.source), \(place.event), \(place.subject))
        """
      } ?? ""
    // The index gives the newest; those of the last moment are all read, and put in order.
    return """
      SELECT d.function, d.source, d.event_id, d.user_id, d.subject_id, d.created_at::text AS at
      FROM (
        SELECT * FROM decisions d
        WHERE (d.user_id, d.created_at) > (\(person), \(since))
          AND (d.user_id, d.created_at) <= (\(person), \(place?.at ?? "infinity")::text::timestamptz) \(rest) \(app)
        ORDER BY d.user_id DESC, d.created_at DESC FETCH FIRST \(Self.listed + 1) ROWS WITH TIES
      ) d
      ORDER BY d.created_at DESC, d.function DESC, d.source DESC, d.event_id DESC, d.subject_id DESC
      LIMIT \(Self.listed + 1)
      """
  }
}
