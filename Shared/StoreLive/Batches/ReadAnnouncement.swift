import FoundationEssentials
import Notifications
import Postgres

/// What was read of an event.
struct ReadEvent: Sendable {
  /// The parts that were handled before.
  private(set) var done: [Claim.Done] = []
  /// The others.
  private(set) var announcements: [any ReadAnnouncement] = []

  /// Adds the next part.
  mutating func add<N: Notice>(_ reading: Unread<N>.Reading) {
    switch reading {
    case .notice(var notice):
      notice.stage.part = done.count + announcements.count
      announcements.append(notice)
    case .done(let part): done.append(part)
    }
  }
}

/// An announcement with its people.
protocol ReadAnnouncement: Sendable {
  var event: EventContext { get }
  /// The kind of its notice; `nil` without one.
  var kind: Kind? { get }
  /// Why there is no notice, if that has a name.
  var reason: String? { get }
  var candidates: [Candidate] { get }
  /// The inbox entry of the only person, if the app has made it already.
  var entry: UUID? { get }
  /// The statements after the last person.
  var closing: [SQL] { get }
  /// The proposal whose lead it is made from.
  var lead: UUID? { get }
  /// The proposal whose lead the closing statements change.
  var newLead: UUID? { get }
  /// The number of voters for other devices, after the last person.
  var voteCount: VoteCount? { get }
  var stage: Stage { get set }

  /// What has to be asked about the people's earlier notifications.
  var questions: EarlierQuestions { get }

  /// The same with the people's earlier notifications.
  /// - Parameter rows: the answers to the questions.
  func remembering(_ questions: EarlierQuestions, _ rows: [Rows]) throws -> any ReadAnnouncement

  /// The same in parts of about `size` people.
  func slices(of size: Int) -> [any ReadAnnouncement]

  /// The decisions; `nil` if what the events before it decided has to be written and read first.
  func plans(after memory: BatchMemory) -> [NotificationPlan]?
}

/// How far an announcement was handled before, and how far it is handled now.
struct Stage: Sendable {
  /// Its number among the parts of its event.
  var part = 0
  /// Whether the event has a record, without a result.
  var isBegun = false
  /// The result of the people in earlier transactions.
  var earlier: NotificationResult?
  /// Deletes the record of an earlier row with the same id; `nil` if there is none.
  var clearing: SQL?
  /// The last person, if more follow in another transaction.
  var end: Audience.Place?
  /// Whether it begins what is handled in this transaction, and whether it ends it.
  var (isFirst, isLast) = (true, true)

  /// Whether nobody follows.
  var isEnd: Bool { isLast && end == nil }
}

/// One notice, or several of one kind, with its people.
struct ReadNotice<N: Notice>: ReadAnnouncement {
  let event: EventContext
  let announcement: Announcement<N>?
  /// Whether an experiment with the notice's variants is on.
  var isExperiment = false
  var candidates: [Candidate] = []
  var stage = Stage()

  var kind: Kind? { announcement?.kind }
  var reason: String? { announcement == nil ? Suppression.subjectGone.rawValue : announcement?.reason }
  var entry: UUID? { announcement?.entry }
  var closing: [SQL] { stage.isEnd ? announcement?.closing ?? [] : [] }
  var lead: UUID? { announcement?.lead }
  var newLead: UUID? { announcement?.newLead }
  var voteCount: VoteCount? { stage.isEnd ? announcement?.voteCount : nil }

  var questions: EarlierQuestions {
    announcement.map { EarlierQuestions(of: candidates, $0, event) } ?? EarlierQuestions()
  }

  func remembering(_ questions: EarlierQuestions, _ rows: [Rows]) throws -> any ReadAnnouncement {
    guard let announcement else { return self }
    var copy = self
    copy.candidates = try questions.remembering(candidates, announcement, rows)
    return copy
  }

  func slices(of size: Int) -> [any ReadAnnouncement] {
    guard candidates.count > size else { return [self] }
    var slices: [Self] = []
    var rest = candidates[...]
    while !rest.isEmpty {
      let edge = rest.prefix(size).last?.user
      // A person may be told of several subjects.
      let people = rest.prefix(size) + rest.dropFirst(size).prefix { $0.user == edge }
      rest = rest.dropFirst(people.count)
      var slice = self
      slice.candidates = Array(people)
      (slice.stage.isFirst, slice.stage.isLast) = (slices.isEmpty, rest.isEmpty)
      slices.append(slice)
    }
    return slices
  }

  func plans(after memory: BatchMemory) -> [NotificationPlan]? {
    guard let announcement, kind != nil else { return [] }
    var people: [Candidate] = []
    for candidate in candidates {
      guard let notice = announcement.notices[candidate.subjectID] else { continue }
      guard let changed = memory.changing(candidate, for: notice, at: event.now) else { return nil }
      people.append(changed)
    }
    var planner = Planner(announcement, isExperiment: isExperiment, at: event.now)
    return planner.decide(people)
  }
}
