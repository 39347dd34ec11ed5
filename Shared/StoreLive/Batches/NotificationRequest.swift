package import FoundationEssentials
import FunctionKit
package import Notifications
import Postgres

/// A function's wish to tell something because of an event; nothing is read yet.
package struct NotificationRequest: Sendable {
  let work: Work

  enum Work: Sendable {
    case nothing(NotificationResult)
    case announcement(any UnreadAnnouncement)
  }

  /// A notice about an event.
  /// - Parameter announcement: reads the announcement; `nil` if the event's object is gone. A transaction may call it
  ///   several times.
  package static func announcement<N: Notice>(
    _ event: EventContext, _ announcement: @escaping @Sendable (EventReader) async throws -> Announcement<N>?
  ) -> NotificationRequest {
    NotificationRequest(work: .announcement(Unread(event: event, announcement: announcement)))
  }

  /// A notice about an event and a part of the event that is announced after it, with a record of its own.
  /// - Parameters:
  ///   - part: the name of the part.
  ///   - second: reads the part's announcement; it also gets the people of the first one.
  package static func announcements<First: Notice, Second: Notice>(
    _ event: EventContext, then part: String,
    first: @escaping @Sendable (EventReader) async throws -> Announcement<First>?,
    second: @escaping @Sendable (EventReader, [UUID]) async throws -> Announcement<Second>?
  ) -> NotificationRequest {
    let first = Unread(event: event, announcement: first)
    return NotificationRequest(
      work: .announcement(UnreadPair(first: first, partEvent: event.part(part), second: second)))
  }

  /// There is nothing to tell, and why.
  package static func nothing(_ event: EventContext, because reason: String) -> NotificationRequest {
    NotificationRequest(work: .nothing(.nothing(event, because: reason)))
  }
}

/// The announcements of an event, which have not been read.
protocol UnreadAnnouncement: Sendable {
  /// The event, or its parts: one for each announcement.
  var events: [EventContext] { get }

  /// Finds out in a dry run who would be notified.
  func rehearse(with store: NotificationStore) async throws -> NotificationResult

  /// Reads the announcements and the next page of their people.
  /// - Throws: ``AnnouncementBatch/HandledAlone`` too.
  func read(_ pages: Pages, _ queries: GatheredQueries) async throws -> ReadEvent
}

struct Unread<N: Notice>: UnreadAnnouncement {
  let event: EventContext
  let announcement: @Sendable (EventReader) async throws -> Announcement<N>?

  /// The state of its reading.
  enum Reading {
    case notice(ReadNotice<N>)
    case done(Claim.Done)
  }

  var events: [EventContext] { [event] }

  func rehearse(with store: NotificationStore) async throws -> NotificationResult {
    try await store.connection.transaction(.repeatableRead, readOnly: true) { transaction in
      try await store.rehearse(event, announcement, transaction)
    }
  }

  func read(_ pages: Pages, _ queries: GatheredQueries) async throws -> ReadEvent {
    var event = ReadEvent()
    event.add(try await reading(pages, queries))
    return event
  }

  func reading(_ pages: Pages, _ queries: GatheredQueries) async throws -> Reading {
    var claim = Claim(on: event)
    while true {
      do {
        return try await reading(claim, pages, queries)
      } catch let begun as Claim.Begun {
        guard pages.mayFollow else { throw AnnouncementBatch.HandledAlone() }
        claim = Claim(continuing: begun)
      } catch let done as Claim.Done {
        return .done(done)
      }
    }
  }

  private func reading(_ claim: Claim, _ pages: Pages, _ queries: GatheredQueries) async throws -> Reading {
    let event = claim.event
    let found = try await announcement(EventReader(event, queries, claim: claim))
    let known = try await claim.settle(queries)
    var notice = ReadNotice(event: event, announcement: found)
    notice.stage.isBegun = claim.isBegun
    notice.stage.earlier = known.progress?.result
    notice.stage.clearing = known.clearing
    guard let announcement = found, announcement.kind != nil else { return .notice(notice) }
    let place = known.progress?.after
    guard let page = try await pages.next(of: announcement, after: place, at: event.now, queries) else {
      throw AnnouncementBatch.HandledAlone()
    }
    (notice.candidates, notice.stage.end) = (page.candidates, page.end)
    notice.isExperiment = try await announcement.isExperiment(queries)
    return .notice(notice)
  }
}

struct UnreadPair<First: Notice, Second: Notice>: UnreadAnnouncement {
  let first: Unread<First>
  let partEvent: EventContext
  let second: @Sendable (EventReader, [UUID]) async throws -> Announcement<Second>?

  var events: [EventContext] { [first.event, partEvent] }

  func part(without told: [UUID]) -> Unread<Second> {
    Unread(event: partEvent) { [second] in try await second($0, told) }
  }

  func rehearse(with store: NotificationStore) async throws -> NotificationResult {
    let told = try await first.rehearse(with: store)
    return told.adding(try await part(without: told.people).rehearse(with: store))
  }

  func read(_ pages: Pages, _ queries: GatheredQueries) async throws -> ReadEvent {
    var event = ReadEvent()
    let reading = try await first.reading(pages, queries)
    event.add(reading)
    let told: [UUID]
    switch reading {
    case .notice(let notice):
      // Nobody knows yet who else is told.
      guard notice.stage.end == nil else { return event }
      told = (notice.stage.earlier?.people ?? []) + notice.candidates.map(\.user)
    case .done(let done): told = done.result.people
    }
    event.add(try await part(without: told).reading(pages, queries))
    return event
  }
}

extension NotificationResult {
  /// The people with a decision, as far as they are listed.
  var people: [UUID] { decisions.compactMap { UUID(uuidString: $0.user) } }
}

/// The facts that were read of an event.
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

  /// The questions that have to be asked about the people's earlier notifications.
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
