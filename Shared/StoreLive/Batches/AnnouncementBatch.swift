import FoundationEssentials
import Notifications
import Postgres

/// Announcements of several events, which are decided on in one transaction.
struct AnnouncementBatch {
  private let unread: [any UnreadAnnouncement]
  private let chunk: Int
  private let transaction: Transaction
  /// The announcements of each event.
  private var read: [[any ReadAnnouncement]] = []
  /// The decisions about each event's announcements; `nil` about one without a notice.
  private var decided: [[DecidedEvent?]]
  /// Whose rows are locked.
  private var people: [App: Set<UUID>] = [:]
  /// What has to be written before the next reading.
  private var unwritten: (events: [DecidedEvent], closing: [SQL]) = ([], [])

  /// - Parameter chunk: more people than that are handled in several transactions.
  init(_ unread: [any UnreadAnnouncement], of chunk: Int, _ transaction: Transaction) {
    (self.unread, self.chunk, self.transaction) = (unread, chunk, transaction)
    decided = unread.map { _ in [] }
  }

  /// Decides on the events in their order, writes the decisions and commits.
  /// - Throws: ``HandledAlone`` too.
  mutating func handle() async throws -> [NotificationResult] {
    let events = unread.flatMap(\.events)
    let records = events.flatMap(\.records)
    guard Set(records).count == records.count,
      try await transaction.query(.firstTaken(of: records, by: events[0].function)).isEmpty
    else { throw HandledAlone() }
    read = try await Self.read(unread, below: size, transaction)
    people = read.joined().reduce(into: [:]) { $0.merge($1.people) { $0.union($1) } }
    // More people would fill the memory.
    guard read.joined().reduce(0, { $0 + $1.candidates.count }) <= chunk else { throw HandledAlone() }
    let locks = SQL.lockStates(of: people)
    if !locks.isEmpty { _ = try await transaction.pipeline(locks) }
    try await decide()
    return try await finish()
  }

  /// An event with this many people or more is handled alone.
  private var size: Int { chunk / 10 }

  private static func read(
    _ unread: [any UnreadAnnouncement], below size: Int, _ transaction: Transaction
  ) async throws -> [[any ReadAnnouncement]] {
    try await GatheredQueries.each(unread, in: transaction) { unread, queries in
      guard let read = try await unread.read(below: size, queries) else { throw HandledAlone() }
      return read
    }
  }

  private mutating func decide() async throws {
    var (waiting, changed): ([Int], [Int]) = (Array(unread.indices), [])
    while !waiting.isEmpty {
      let statements = unwritten.events.statements + unwritten.closing
      if !statements.isEmpty { _ = try await transaction.pipeline(statements) }
      unwritten = ([], [])
      if !changed.isEmpty { try await readAgain(changed) }
      try await remember(waiting)

      var memory = BatchMemory()
      changed = []
      waiting = waiting.filter { number in
        if decided[number].isEmpty, read[number].contains(where: memory.hasChanged) {
          changed.append(number)
        } else if decide(number, &memory) {
          return false
        }
        for announcement in read[number].dropFirst(decided[number].count) { memory.wait(for: announcement) }
        return true
      }
    }
  }

  /// Reads announcements again, because what they are made from has changed.
  private mutating func readAgain(_ numbers: [Int]) async throws {
    let again = try await Self.read(numbers.map { unread[$0] }, below: size, transaction)
    for (number, announcements) in zip(numbers, again) {
      let areLocked = announcements.allSatisfy { announcement in
        announcement.people.allSatisfy { people[$0.key]?.isSuperset(of: $0.value) == true }
      }
      guard areLocked else { throw HandledAlone() }
      read[number] = announcements
    }
  }

  /// Reads the earlier notifications of the people on whom nothing is decided yet.
  private mutating func remember(_ numbers: [Int]) async throws {
    let places = numbers.flatMap { number in
      read[number].indices.dropFirst(decided[number].count).map { (number: number, part: $0) }
    }
    let announcements = places.map { read[$0.number][$0.part] }
    let remembered = try await GatheredQueries.each(announcements, in: transaction) { announcement, queries in
      try await announcement.remembering(queries)
    }
    for (place, announcement) in zip(places, remembered) { read[place.number][place.part] = announcement }
  }

  /// Decides on an event as far as that is known; returns whether it is done.
  private mutating func decide(_ number: Int, _ memory: inout BatchMemory) -> Bool {
    for announcement in read[number].dropFirst(decided[number].count) {
      guard let plans = announcement.plans(after: memory) else { return false }
      let event = announcement.kind.map { kind in
        DecidedEvent(event: announcement.event, kind: kind, entry: announcement.entry, plans: plans)
      }
      decided[number].append(event)
      guard let event else { continue }
      memory.note(event, on: announcement)
      unwritten.events.append(event)
      unwritten.closing += announcement.closing
    }
    return true
  }

  /// Writes what is not written, records the results and commits.
  private mutating func finish() async throws -> [NotificationResult] {
    let (read, decided) = (Array(read.joined()), Array(decided.joined()))
    let events = read.map(\.event)
    var results = zip(read, decided).map { $0.result(of: $1?.plans ?? []) }
    let statements = unwritten.events.statements + unwritten.closing
    let pushed = Dictionary(
      uniqueKeysWithValues: decided.enumerated().compactMap { number, event in event.map { (number, $0) } })
    let rows = try await transaction.commit(
      after: statements + [.record(results, of: events, pushed)] + SQL.pushVoteCounts(read.compactMap(\.voteCount)))
    for row in rows[statements.count] {
      results[try row.decode("number")].deliveries = try row.decode("deliveries")
    }
    for (number, event) in events.enumerated() {
      event.logUnencodable(decided[number]?.plans ?? [])
      event.note(results[number].considered, isLast: true)
    }
    var rest = results[...]
    return unread.map { unread in
      let first = rest.removeFirst()
      return unread.events.dropFirst().reduce(first) { result, _ in result.adding(rest.removeFirst()) }
    }
  }
}

extension ReadAnnouncement {
  /// Its people by their app.
  fileprivate var people: [App: Set<UUID>] {
    guard let app = kind?.app, !candidates.isEmpty else { return [:] }
    return [app: Set(candidates.map(\.user))]
  }

  fileprivate func result(of plans: [NotificationPlan]) -> NotificationResult {
    var result = NotificationResult(of: event, reason: isFound ? nil : Suppression.subjectGone.rawValue)
    for plan in plans { result.add(plan.candidate, plan.decision) }
    return result
  }
}
