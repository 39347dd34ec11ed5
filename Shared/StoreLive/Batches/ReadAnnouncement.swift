import FoundationEssentials
import Notifications
import Postgres

/// An announcement with its people.
protocol ReadAnnouncement: Sendable {
  var event: EventContext { get }
  /// The kind of its notice; `nil` without one.
  var kind: Kind? { get }
  /// Whether the event's object is there.
  var isFound: Bool { get }
  var candidates: [Candidate] { get }
  /// The inbox entry of the only person, if the app has made it already.
  var entry: UUID? { get }
  var closing: [SQL] { get }
  /// The proposal whose lead it is made from.
  var lead: UUID? { get }
  /// The proposal whose lead the closing statements change.
  var newLead: UUID? { get }
  var voteCount: VoteCount? { get }

  /// What has to be asked about the people's earlier notifications.
  var questions: EarlierQuestions { get }

  /// The same with the people's earlier notifications.
  /// - Parameter rows: the answers to the questions.
  func remembering(_ questions: EarlierQuestions, _ rows: [Rows]) throws -> any ReadAnnouncement

  /// The decisions; `nil` if what the events before it decided has to be written and read first.
  func plans(after memory: BatchMemory) -> [NotificationPlan]?
}

/// One notice with its people.
struct ReadNotice<N: Notice>: ReadAnnouncement {
  let event: EventContext
  let announcement: Announcement<N>?
  /// Whether an experiment with the notice's variants is on.
  let isExperiment: Bool
  var candidates: [Candidate]

  var kind: Kind? { announcement?.kind }
  var isFound: Bool { announcement != nil }
  var entry: UUID? { announcement?.entry }
  var closing: [SQL] { announcement?.closing ?? [] }
  var lead: UUID? { announcement?.lead }
  var newLead: UUID? { announcement?.newLead }
  var voteCount: VoteCount? { announcement?.voteCount }

  var questions: EarlierQuestions {
    announcement.map { EarlierQuestions(of: candidates, $0, event) } ?? EarlierQuestions()
  }

  func remembering(_ questions: EarlierQuestions, _ rows: [Rows]) throws -> any ReadAnnouncement {
    guard let announcement else { return self }
    var copy = self
    copy.candidates = try questions.remembering(candidates, announcement, rows)
    return copy
  }

  func plans(after memory: BatchMemory) -> [NotificationPlan]? {
    guard let announcement, let notice = announcement.notices.values.first else { return [] }
    var people: [Candidate] = []
    for candidate in candidates {
      guard let changed = memory.changing(candidate, for: notice, at: event.now) else { return nil }
      people.append(changed)
    }
    var planner = Planner(announcement, isExperiment: isExperiment, at: event.now)
    return planner.decide(people)
  }
}
