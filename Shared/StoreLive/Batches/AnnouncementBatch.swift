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
  /// The decisions about each event's announcements that are written.
  private var written: [[DecidedAnnouncement]]
  /// The decisions that have to be written before the next reading.
  private var unwritten = DecidedPart()
  /// Whose rows are locked.
  private var people: [App: Set<UUID>] = [:]

  /// - Parameter chunk: more people than that are handled in several transactions.
  init(_ unread: [any UnreadAnnouncement], of chunk: Int, _ transaction: Transaction) {
    (self.unread, self.chunk, self.transaction) = (unread, chunk, transaction)
    written = unread.map { _ in [] }
  }

  /// Decides on the events in their order, writes the decisions and commits.
  /// - Throws: ``HandledAlone`` too.
  mutating func handle() async throws -> [NotificationResult] {
    let events = unread.flatMap(\.events)
    let records = events.flatMap(\.records)
    guard Set(records).count == records.count else { throw HandledAlone() }
    read = try await Self.read(unread, below: size, transaction)
    people = read.joined().reduce(into: [:]) { $0.merge($1.people) { $0.union($1) } }
    // More people would fill the memory.
    guard read.joined().reduce(0, { $0 + $1.candidates.count }) <= chunk else { throw HandledAlone() }
    let taken: SQL = .firstTaken(of: records, by: events[0].function)
    let first = try await remember(Array(unread.indices), after: SQL.lockStates(of: people) + [taken])
    guard first.last?.isEmpty == true else { throw HandledAlone() }
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

  /// How many events are decided on while the server writes those before them.
  ///
  /// Others wait for people who are told of several events, so the batch has to end soon. If all people differ, one part
  /// costs the server least.
  private var partSize: Int {
    let candidates = read.joined().reduce(0) { $0 + $1.candidates.count }
    let isAwaited = candidates > people.values.reduce(0) { $0 + $1.count }
    return isAwaited ? max(8, (unread.count + 2) / 3) : unread.count
  }

  /// Decides on all events, in parts: while the server writes one, the next is decided.
  private mutating func decide() async throws {
    let partSize = partSize
    var waiting = Array(unread.indices)
    while true {
      var round = DecidingRound(read, after: written.map(\.count))
      for start in stride(from: 0, to: waiting.count, by: partSize) {
        let numbers = waiting[start...].prefix(partSize)
        round = try await write { [round] in round.deciding(on: numbers) }
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
  private mutating func write<Answer: Sendable>(meanwhile body: @Sendable () -> Answer) async throws -> Answer {
    let (rows, answer) = try await transaction.pipeline(unwritten.statements, meanwhile: body)
    try note(rows.last)
    return answer
  }

  /// Takes note that the decisions are written.
  /// - Parameter deliveries: how many deliveries each announcement has: `number, deliveries`.
  private mutating func note(_ deliveries: Rows?) throws {
    for row in deliveries.map(Array.init) ?? [] {
      unwritten.announcements[try row.decode("number")].result.deliveries = try row.decode("deliveries")
    }
    for announcement in unwritten.announcements { written[announcement.number].append(announcement) }
    unwritten = DecidedPart()
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
  /// - Parameter first: statements to run first, in the same round trip.
  /// - Returns: the answers to these.
  @discardableResult
  private mutating func remember(_ numbers: [Int], after first: [SQL] = []) async throws -> [Rows] {
    let places = numbers.flatMap { number in
      read[number].indices.dropFirst(written[number].count).map { (number: number, part: $0) }
    }
    let questions = places.map { read[$0.number][$0.part].questions }
    let (rows, answers) = try await GatheredQueries.run(questions.map(\.queries), after: first, in: transaction)
    for ((place, questions), answers) in zip(zip(places, questions), answers) {
      read[place.number][place.part] = try read[place.number][place.part].remembering(questions, answers)
    }
    return rows
  }

  /// Writes the last decisions and commits.
  private mutating func finish() async throws -> [NotificationResult] {
    let statements = unwritten.statements
    let rows = try await transaction.commit(
      after: statements + SQL.pushVoteCounts(read.joined().compactMap(\.voteCount)))
    try note(rows.prefix(statements.count).last)
    return written.map { announcements in
      for announcement in announcements {
        announcement.event.logUnencodable(announcement.decided?.plans ?? [])
        announcement.event.note(announcement.result.considered, isLast: true)
      }
      return announcements.dropFirst().reduce(announcements[0].result) { $0.adding($1.result) }
    }
  }
}

extension ReadAnnouncement {
  /// Its people by their app.
  fileprivate var people: [App: Set<UUID>] {
    guard let app = kind?.app, !candidates.isEmpty else { return [:] }
    return [app: Set(candidates.map(\.user))]
  }
}
