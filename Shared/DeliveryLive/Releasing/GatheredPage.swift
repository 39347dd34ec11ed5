import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// Some of what is due for one person, to be merged.
///
/// All acts of a family about a subject are merged into the newest of them. The newest one goes on waiting, and is
/// decided like any other.
struct GatheredPage {
  /// Pairs of a notification and the one that it is merged into.
  private(set) var merged: [(UUID, UUID)] = []
  /// How many there were.
  let count: Int
  /// Where the next page begins.
  private(set) var last: Place

  /// A place in the order in which what is due is gathered, and what came before it.
  struct Place {
    var time = Date.distantPast
    var notification = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    /// How many came before it.
    fileprivate(set) var rows = 0
    /// The newest of each family and subject.
    fileprivate var newest: [String: Newest] = [:]

    /// More subjects than this are forgotten; each of theirs is then merged with those that come after it.
    fileprivate static let mostSubjects = 20_000

    /// The remembered notifications into which some of these rows may be merged.
    func newest(for rows: Rows, of app: App) -> [UUID] {
      Array(Set(rows.compactMap { row in GatheredPage.key(row, of: app).flatMap { newest[$0]?.id } }))
    }
  }

  fileprivate struct Newest {
    let id: UUID
    let time: Date
  }

  /// - Parameters:
  ///   - rows: the answer to ``SQL/acts(of:in:after:limit:at:)``.
  ///   - place: what was gathered before; `nil` at the beginning.
  ///   - open: which of the remembered notifications still wait. A person may have read one since the last page, and
  ///     nobody would be told of what is merged into it.
  init(_ rows: Rows, of app: App, after place: Place?, open: Set<UUID>) throws {
    (count, last) = (rows.count, place ?? Place())
    last.rows += count
    var open = open
    for row in rows {
      let id: UUID = try row.decode("notification_id")
      (last.time, last.notification) = (try row.decode("held_until"), id)
      guard try row.decode("is_open"), let key = Self.key(row, of: app) else { continue }
      let own = Newest(id: id, time: try row.decode("created_at"))
      open.insert(id)
      guard let other = last.newest[key], open.contains(other.id) else {
        last.newest[key] = own
        continue
      }
      let isNewer = (own.time, own.id.uuidString) > (other.time, other.id.uuidString)
      merged.append(isNewer ? (other.id, own.id) : (own.id, other.id))
      if isNewer { last.newest[key] = own }
    }
    if last.newest.count > Place.mostSubjects { last.newest = [:] }
  }

  /// What it is merged by; `nil` for what is sent alone.
  private static func key(_ row: Row, of app: App) -> String? {
    guard
      let kind = Waiting.kind(row, of: app), let family = kind.family, let subject = row["family_subject"],
      kind.batches(for: row["recipient_reason"].flatMap(RecipientReason.init) ?? .addressee)
    else { return nil }
    return "\(family.rawValue)/\(subject)"
  }
}
