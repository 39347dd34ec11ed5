import FoundationEssentials
import Notifications
import Postgres

/// Announcements of several events, which are decided on in one transaction; or a page of an event that may have many.
struct AnnouncementBatch {
  /// An event cannot be handled together with others.
  struct HandledAlone: Error {}

  private let unread: [any UnreadAnnouncement]
  private let pages: Pages
  private let chunk: Int
  private let transaction: Transaction
  private let commits: Bool
  /// The announcements of each event.
  private var read: [[any ReadAnnouncement]] = []
  /// The decisions that have to be written before the next reading.
  private var unwritten = DecidedPart()
  /// The result of each event's people before those that follow.
  private var sums: [Int: NotificationResult] = [:]
  /// The fates of each event's announcements, in their order.
  private var done: [[Claim.Done]] = []
  /// Whether people of the only event are left.
  private var isUnfinished = false
  /// The people whose rows are locked.
  private var people: [App: Set<UUID>] = [:]

  /// - Parameters:
  ///   - pages: the audiences; those of several events have one page each.
  ///   - chunk: more people than that are handled in several transactions.
  ///   - commits: whether the transaction ends with the batch.
  init(
    _ unread: [any UnreadAnnouncement], _ pages: Pages, of chunk: Int, _ transaction: Transaction, commits: Bool = true
  ) {
    (self.unread, self.pages, self.chunk, self.transaction) = (unread, pages, chunk, transaction)
    self.commits = commits
  }

  /// Decides on the events in their order, writes the decisions and commits.
  /// - Returns: the results; `nil` if people of the only event are left for another transaction.
  /// - Throws: ``HandledAlone`` too.
  mutating func handle() async throws -> [NotificationResult]? {
    let records = unread.flatMap(\.events).flatMap(\.records)
    guard isAlone || Set(records).count == records.count else { throw HandledAlone() }
    let found = try await Self.read(unread, pages, transaction)
    (read, done) = (found.map(\.announcements), found.map(\.done))
    // More people would fill the memory.
    guard isAlone || read.joined().reduce(0, { $0 + $1.candidates.count }) <= chunk else { throw HandledAlone() }
    for (app, users) in read.joined().flatMap({ $0.people }) { people[app, default: []].formUnion(users) }
    let beginning = beginning()
    try await remember(places, after: SQL.lockStates(of: people) + beginning)
    if isAlone { read = read.map { $0.flatMap { $0.slices(of: sliceSize) } } }
    try await decide()
    try await finish(recording: found.flatMap(\.done).flatMap(\.recording))
    return isUnfinished ? nil : done.compactMap { $0.map(\.result).sum }
  }

  private var isAlone: Bool { unread.count == 1 }

  /// How many people of one event are written while the next ones are decided on.
  private var sliceSize: Int { max(1, chunk / 20) }

  private static func read(
    _ unread: [any UnreadAnnouncement], _ pages: Pages, _ transaction: Transaction
  ) async throws -> [ReadEvent] {
    try await GatheredQueries.each(unread, in: transaction) { unread, queries in
      try await unread.read(pages, queries)
    }
  }

  /// The statements that write before the decisions are written.
  ///
  /// The record of an earlier row with the same id is deleted, and an event that is continued later gets its own.
  private mutating func beginning() -> [SQL] {
    var statements = read.joined().compactMap(\.stage.clearing)
    for place in places {
      let stage = read[place.number][place.part].stage
      guard stage.end != nil, !stage.isBegun else { continue }
      statements.append(read[place.number][place.part].event.beginning)
      read[place.number][place.part].stage.isBegun = true
    }
    return statements
  }

  private var places: [BatchPlace] {
    read.indices.flatMap { number in read[number].indices.map { BatchPlace(number: number, part: $0) } }
  }

  /// How many events are decided on while the server writes those before them.
  ///
  /// Others wait for people who are told of several events, so the batch has to end soon. If all people differ, one part
  /// costs the server least.
  private var partSize: Int {
    let candidates = read.joined().reduce(0) { $0 + $1.candidates.count }
    let isAwaited = candidates > people.values.reduce(0) { $0 + $1.count }
    return isAwaited ? max(8, (read.count + 2) / 3) : read.count
  }

  /// The announcements that are written together: those of some events, or some people of a single one.
  private func parts(of places: [BatchPlace]) -> [[BatchPlace]] {
    let most = isAlone ? sliceSize : partSize
    var parts: [[BatchPlace]] = []
    var size = most
    for place in places {
      let isNext = parts.last?.last?.number != place.number
      if size >= most, isNext || isAlone {
        parts.append([])
        size = 0
      }
      parts[parts.count - 1].append(place)
      size += isAlone ? read[place.number][place.part].candidates.count : isNext ? 1 : 0
    }
    return parts
  }

  /// Decides on all events, in parts: while the server writes one, the next is decided.
  private mutating func decide() async throws {
    var waiting = places
    while true {
      var round = DecidingRound(read)
      for part in parts(of: waiting) {
        round = try await write { [round] in round.deciding(on: part) }
        unwritten = round.part
      }
      waiting = round.waiting
      guard !waiting.isEmpty else { return }
      try await write(meanwhile: {})
      if !round.changed.isEmpty { try await readAgain(round.changed) }
      try await remember(waiting)
    }
  }

  /// Writes the decisions that are not written, and runs a body meanwhile.
  private mutating func write<Value: Sendable>(meanwhile body: @Sendable () -> Value) async throws -> Value {
    sumUp()
    let (rows, value) = try await transaction.pipeline(unwritten.statements, meanwhile: body)
    try note(rows.last)
    return value
  }

  /// Completes the results of events whose last people are to be written.
  private mutating func sumUp() {
    guard unwritten.needsSum else { return }
    for (index, announcement) in unwritten.announcements.enumerated() {
      let stage = announcement.stage
      guard stage.isLast, !stage.isFirst, let sum = sums[announcement.number] else { continue }
      unwritten.announcements[index].result = sum.adding(announcement.result)
    }
    unwritten.makeStatements()
  }

  /// Takes note that the decisions are written.
  /// - Parameter deliveries: how many deliveries each announcement has: `number, deliveries`.
  private mutating func note(_ deliveries: Rows?) throws {
    for row in deliveries.map(Array.init) ?? [] {
      unwritten.announcements[try row.decode("number")].result.deliveries += try row.decode("deliveries", as: Int.self)
    }
    for announcement in unwritten.announcements {
      let (number, stage, result) = (announcement.number, announcement.stage, announcement.result)
      if stage.isLast {
        sums[number] = nil
        done[number].insert(Claim.Done(event: announcement.event, result: result), at: stage.part)
        isUnfinished = isUnfinished || !stage.isEnd
      } else {
        sums[number] = sums[number]?.adding(result) ?? result
      }
      announcement.event.logUnencodable(announcement.decided?.plans ?? [])
    }
    unwritten = DecidedPart()
  }

  /// Reads events again, because what their announcements are made from has changed.
  private mutating func readAgain(_ numbers: [Int]) async throws {
    let again = try await Self.read(numbers.map { unread[$0] }, pages, transaction)
    for (number, event) in zip(numbers, again) {
      let areLocked = event.announcements.allSatisfy { announcement in
        announcement.people.allSatisfy { people[$0.key]?.isSuperset(of: $0.value) == true }
      }
      guard areLocked, event.done.isEmpty else { throw HandledAlone() }
      read[number] = event.announcements
    }
  }

  /// Reads the earlier notifications of the people on whom nothing is decided yet.
  /// - Parameter first: statements to run first, in the same round trip.
  private mutating func remember(_ places: [BatchPlace], after first: [SQL] = []) async throws {
    let questions = places.map { read[$0.number][$0.part].questions }
    let (_, answers) = try await GatheredQueries.run(questions.map(\.queries), after: first, in: transaction)
    for ((place, questions), answers) in zip(zip(places, questions), answers) {
      read[place.number][place.part] = try read[place.number][place.part].remembering(questions, answers)
    }
  }

  /// Writes the last decisions and commits.
  /// - Parameter recording: records results for other events about the same changes.
  private mutating func finish(recording: [SQL]) async throws {
    sumUp()
    let statements = unwritten.statements
    let last = statements + recording + SQL.pushVoteCounts(read.joined().compactMap(\.voteCount))
    let rows = try await commits ? transaction.commit(after: last) : last.isEmpty ? [] : transaction.pipeline(last)
    try note(rows.prefix(statements.count).last)
    for part in done.joined() { part.event.note(part.result.considered, isLast: !isUnfinished) }
  }
}

extension ReadAnnouncement {
  /// Its people by their app.
  fileprivate var people: [App: Set<UUID>] {
    guard let app = kind?.app, !candidates.isEmpty else { return [:] }
    return [app: Set(candidates.map(\.user))]
  }
}

extension [NotificationResult] {
  /// The result of an event with these parts.
  fileprivate var sum: NotificationResult? { dropFirst().reduce(first) { $0?.adding($1) } }
}

/// The place of an announcement in a batch.
struct BatchPlace: Sendable {
  /// The number of its event.
  let number: Int
  /// Its number among the announcements of the event, or among the slices of them.
  let part: Int
}

/// Decides on the announcements of a batch in their order, as far as their people's history was read.
struct DecidingRound: Sendable {
  private let read: [[any ReadAnnouncement]]
  /// Whether it is about more than one announcement.
  private let hasSeveral: Bool
  private var memory = BatchMemory()
  /// The places that have to wait until the decisions before them are written.
  private(set) var waiting: [BatchPlace] = []
  /// The events that have to be read again.
  private(set) var changed: [Int] = []
  /// The last decisions.
  private(set) var part = DecidedPart()

  init(_ read: [[any ReadAnnouncement]]) {
    self.read = read
    hasSeveral = read.joined().count(where: \.stage.isFirst) > 1
  }

  /// The round after some more announcements.
  func deciding(on places: [BatchPlace]) -> Self {
    var next = self
    next.part = DecidedPart()
    for place in places { next.decide(place) }
    if !next.part.needsSum { next.part.makeStatements() }
    return next
  }

  private mutating func decide(_ place: BatchPlace) {
    let announcement = read[place.number][place.part]
    if waiting.last?.number != place.number {
      if place.part == 0, read[place.number].contains(where: memory.hasChanged) {
        changed.append(place.number)
      } else if let plans = announcement.plans(after: memory) {
        return note(plans, of: announcement, place.number)
      }
    }
    waiting.append(place)
    memory.wait(for: announcement)
  }

  private mutating func note(_ plans: [NotificationPlan], of announcement: any ReadAnnouncement, _ number: Int) {
    let (event, stage) = (announcement.event, announcement.stage)
    let decided = announcement.kind.map { DecidedEvent(event, $0, entry: announcement.entry, plans) }
    var result = (stage.isFirst ? stage.earlier : nil) ?? NotificationResult(of: event)
    if let reason = announcement.reason { result.reason = reason }
    for plan in plans { result.add(plan.candidate, plan.decision) }
    part.announcements.append(
      DecidedAnnouncement(number: number, event: event, stage: stage, decided: decided, result: result))
    part.closing += announcement.closing
    if hasSeveral, let decided { memory.note(decided, on: announcement) }
  }
}

/// An announcement with the decisions about its people.
struct DecidedAnnouncement: Sendable {
  /// The number of its event in the batch.
  let number: Int
  let event: EventContext
  let stage: Stage
  /// `nil` without a notice.
  let decided: DecidedEvent?
  var result: NotificationResult
}

/// Decisions that are written together.
struct DecidedPart: Sendable {
  var announcements: [DecidedAnnouncement] = []
  /// The closing statements of the announcements.
  var closing: [SQL] = []
  /// The statements that write all of it; the last one returns the announcements' `number` and `deliveries`.
  private(set) var statements: [SQL] = []

  /// Whether a result has to be completed with those of the people before.
  var needsSum: Bool { announcements.contains { $0.stage.isLast && !$0.stage.isFirst } }

  mutating func makeStatements() {
    guard !announcements.isEmpty else { return }
    statements = announcements.compactMap(\.decided).statements + closing + [.record(announcements)]
  }
}

/// The changes that the decisions of a batch mean for its later events, before they are written.
///
/// It knows what happens most: windows that were opened and limits that were used. For anything else, the later event
/// waits until the decisions before it are written, and reads its people's history again.
struct BatchMemory {
  private struct Person: Hashable {
    let user: UUID
    let app: App
  }

  /// The notifications of a person about a subject, as far as they are batched.
  private struct Thread: Hashable {
    let person: Person
    let family: Kind.BatchingFamily?
    let subject: String?
  }

  /// A push that was decided.
  private struct Push {
    let time: Date
    let thread: Thread
    /// The window that it opened; `nil` for none.
    let window: Candidate.Window?
  }

  private var pushes: [Person: [Push]] = [:]
  /// The openers of windows in which something waits.
  private var gatherings: [Thread: UUID] = [:]
  private var peopleWithEntries: Set<Person> = []
  private var waiting: Set<Person> = []
  private var newLeads: Set<UUID> = []

  /// Whether an announcement has to be read again, because the lead that it is made from may be another one.
  func hasChanged(_ announcement: any ReadAnnouncement) -> Bool { announcement.lead.map(newLeads.contains) ?? false }

  /// The candidate as the events before have left them; `nil` if that has to be read.
  func changing<N: Notice>(_ candidate: Candidate, for notice: N, at now: Date) -> Candidate? {
    let kind = notice.kind
    let person = Person(user: candidate.user, app: kind.app)
    if waiting.contains(person) { return nil }
    let asksHistory =
      kind.family == nil || kind.family == .conflicts || notice.dedupeKey != nil || !notice.stateKeys.isEmpty
    if asksHistory, peopleWithEntries.contains(person) { return nil }
    let pushes = pushes[person] ?? []

    var candidate = candidate
    if candidate.hourlyLimit != nil {
      candidate.recentPushes += pushes.map(\.time).filter { $0 > now.addingTimeInterval(-HourlyLimit.window) }
    }
    guard let family = kind.family, kind.batches(for: candidate.reason) else { return candidate }
    // Several changes of a project's statuses close it for a while.
    if family == .statuses, pushes.contains(where: { $0.thread.family == family }) { return nil }
    let thread = Thread(person: person, family: family, subject: notice.part?.subjectID)
    if let last = pushes.last(where: { $0.thread == thread }) {
      guard let window = last.window, last.time <= now, now < window.end else { return nil }
      (candidate.openWindow, candidate.shown) = (window, nil)
    }
    // A window stays open until what waits in it goes out.
    if let opener = gatherings[thread], opener != candidate.openWindow?.opener { return nil }
    return candidate
  }

  /// An event's people are decided on later; so is everything else about them.
  mutating func wait(for announcement: any ReadAnnouncement) {
    if let lead = announcement.newLead { newLeads.insert(lead) }
    guard let app = announcement.kind?.app else { return }
    waiting.formUnion(announcement.candidates.map { Person(user: $0.user, app: app) })
  }

  /// Takes note of an event's decisions.
  mutating func note(_ decided: DecidedEvent, on announcement: any ReadAnnouncement) {
    if let lead = announcement.newLead { newLeads.insert(lead) }
    for plan in decided.plans {
      guard let notification = plan.notification else { continue }
      let person = Person(user: plan.candidate.user, app: decided.kind.app)
      peopleWithEntries.insert(person)
      let thread = Thread(person: person, family: decided.kind.family, subject: plan.message.part?.subjectID)
      if let opener = plan.opener { gatherings[thread] = opener }
      guard plan.isPushed else { continue }
      let end = plan.windowEnd(of: decided.kind, from: decided.event.now)
      pushes[person, default: []].append(
        Push(
          time: decided.event.now, thread: thread, window: end.map { Candidate.Window(opener: notification, end: $0) }))
    }
  }
}
