import FoundationEssentials
import Notifications
import Postgres
import PushPayload
import StoreLive

/// Notifications that are due for one person and are merged into one.
///
/// They have one family and subject, or are too many status changes of a project.
struct ReleaseGroup {
  private(set) var parts: [Waiting]
  /// Status changes of several feedbacks.
  private(set) var isFlood = false
  /// The parts that repeat a state.
  private(set) var repeating: [Waiting] = []

  private init(_ parts: [Waiting], isFlood: Bool = false) { (self.parts, self.isFlood) = (parts, isFlood) }

  /// The groups, in the order in which their first parts came.
  static func groups(of waiting: [Waiting]) -> [ReleaseGroup] {
    var groups: [ReleaseGroup] = []
    var places: [String: Int] = [:]
    for part in waiting {
      guard let family = part.kind.family, let subject = part.subjectID else {
        groups.append(ReleaseGroup([part]))
        continue
      }
      let key = "\(family.rawValue)/\(subject)"
      if let place = places[key] {
        groups[place].parts.append(part)
      } else {
        places[key] = groups.count
        groups.append(ReleaseGroup([part]))
      }
    }
    return flooding(groups, waiting)
  }

  /// Makes one group of the status changes of a project if they are too many to go out one by one.
  private static func flooding(_ groups: [ReleaseGroup], _ waiting: [Waiting]) -> [ReleaseGroup] {
    let statuses = groups.filter { $0.parts.first?.kind.family == .statuses && $0.parts.first?.project != nil }
    let projects = Dictionary(grouping: statuses) { $0.parts.first?.project }
    let flooded = projects.filter { $1.count > Gate.mostStatuses || $1.filter(\.hasNoRoom).count > 1 }
    guard !flooded.isEmpty else { return groups }
    var projectOf: [UUID: UUID] = [:]
    for (project, groups) in flooded {
      for part in groups.flatMap(\.parts) { projectOf[part.id] = project }
    }
    let others = groups.filter { $0.parts.first.flatMap { projectOf[$0.id] } == nil }
    let parts = waiting.filter { projectOf[$0.id] != nil }
    return others + Dictionary(grouping: parts) { projectOf[$0.id] }.values.map { ReleaseGroup($0, isFlood: true) }
  }

  /// Whether it waited because others had used up the places of its window.
  private var hasNoRoom: Bool { parts.contains(where: \.waitedForOthers) }

  /// Whether any of it waited for the end of quiet hours.
  var waitedForQuietHours: Bool { parts.contains(where: \.waitedForQuietHours) }

  /// The group without parts that are no longer true, and without states that were reported last.
  func open(notifying phone: Phone) -> ReleaseGroup {
    var group = self
    let open = parts.filter { $0.candidate.eligibility == .open }
    group.repeating = open.filter { phone.told($0) != nil }
    let repeated = Set(group.repeating.map(\.id))
    group.parts = open.filter { !repeated.contains($0.id) }
    return group
  }

  /// The words for the whole group.
  struct MergedText {
    let text: NotificationText
    /// The app's own keys; `nil` for those of the newest part.
    let values: [String: PushPayload.Value]?
    /// Whether the text is not that of the newest part.
    let isMerged: Bool
  }

  /// The words, merged with the push on the phone that it replaces.
  /// - Parameter language: the language of the words; `nil` for what the person reads.
  func words(after shown: Candidate.Shown?, in language: Language? = nil) -> MergedText {
    guard let newest = parts.last else {
      return MergedText(text: .init(title: "", body: ""), values: nil, isMerged: false)
    }
    let text = language.map { newest.text(in: $0) } ?? newest.text
    guard let family = newest.kind.family, newest.subjectID != nil else {
      return MergedText(text: text, values: nil, isMerged: false)
    }
    let acts = [shown?.acts ?? []] + parts.map(\.acts)
    let merged = Merged(
      acts.joined(), in: family, newest: text, subjectName: newest.subjectName,
      words: language.map(Words.of) ?? newest.candidate.recipient.words)
    return MergedText(
      text: merged.text, values: merged.count > 1 ? merged.values(newest.values) : nil,
      isMerged: merged.text != text)
  }
}

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
  private(set) var last: Progress

  /// A place in the order in which what is due is gathered, and what came before it.
  struct Progress {
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
  init(_ rows: Rows, of app: App, after place: Progress?, open: Set<UUID>) throws {
    (count, last) = (rows.count, place ?? Progress())
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
    if last.newest.count > Progress.mostSubjects { last.newest = [:] }
  }

  /// The key by which it is merged with others; `nil` if it is sent alone.
  private static func key(_ row: Row, of app: App) -> String? {
    guard
      let kind = Waiting.kind(row, of: app), let family = kind.family, let subject = row["family_subject"],
      kind.batches(for: row["recipient_reason"].flatMap(RecipientReason.init) ?? .addressee)
    else { return nil }
    return "\(family.rawValue)/\(subject)"
  }
}
