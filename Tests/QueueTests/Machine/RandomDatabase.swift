import TestSupport

@testable import Queue

/// The queue's tables with one partition, writers and a network, all driven by chance, as `EventStore` sees them.
struct RandomDatabase {
  /// The way that a poll ends.
  enum Fate: CaseIterable {
    case answered
    /// It was carried out, and its answer is lost.
    case unheard
    case refused
    /// The session has ended, and another one is there.
    case otherSession
  }

  private var random: SplitMix
  /// Ids that were drawn and are not committed, with their transactions.
  private var open: [(id: Int64, transaction: Int64)] = []
  /// The same of one transaction with many.
  private var imported: (ids: Range<Int64>, transaction: Int64)?
  private var nextID: Int64 = 1
  private var nextTransaction: Int64 = 1
  /// The transactions of the ids that are committed.
  private var writers: [Int64: Int64] = [:]
  private(set) var waiting: Set<Int64> = []
  private(set) var committed: Set<Int64> = []
  /// Failed events, with the number of their next attempt.
  private(set) var retries: [Int64: Int] = [:]
  /// When each id's transaction began, and when it was committed: by the count of what has happened.
  private var began: [Int64: Int] = [:]
  private var ended: [String: [Int64: Int]] = [:]
  private var moment = 0
  /// How often each id was settled.
  private(set) var settled: [Int64: Int] = [:]
  private var locked = false
  private(set) var session = 1

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  mutating func chance(of count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

  mutating func write(upTo most: Int) {
    for _ in 0..<Int.random(in: 1...most, using: &random) {
      open.append((nextID, nextTransaction))
      moment += 1
      began[nextID] = moment
      (nextID, nextTransaction) = (nextID + 1, nextTransaction + 1)
    }
  }

  mutating func endTransactions(all: Bool = false) {
    while !open.isEmpty, all || !chance(of: 4) {
      let ended = open.remove(at: chance(of: 2) ? 0 : Int.random(in: 0..<open.count, using: &random))
      guard all || !chance(of: 8) else { continue }
      moment += 1
      commit(ended.id, of: ended.transaction)
    }
  }

  private mutating func commit(_ id: Int64, of transaction: Int64) {
    writers[id] = transaction
    waiting.insert(id)
    committed.insert(id)
    if let key = Self.key(id) { ended[key, default: [:]][id] = moment }
  }

  /// Begins a transaction that writes many rows, unless there is one.
  mutating func beginImport(upTo most: Int64) {
    guard imported == nil else { return }
    let ids = nextID..<nextID + Int64.random(in: 1...most, using: &random)
    imported = (ids, nextTransaction)
    moment += 1
    for id in ids { began[id] = moment }
    (nextID, nextTransaction) = (ids.upperBound, nextTransaction + 1)
  }

  mutating func endImport() {
    guard let imported else { return }
    moment += 1
    for id in imported.ids { commit(id, of: imported.transaction) }
    self.imported = nil
  }

  private var oldestTransaction: Int64? { (open.map(\.transaction) + [imported?.transaction].compactMap(\.self)).min() }

  /// The events of an event's key whose transactions had ended before its own began.
  func before(_ id: Int64) -> [Int64] {
    guard let ended = Self.key(id).flatMap({ ended[$0] }), let begin = began[id] else { return [] }
    return ended.filter { $0.value < begin }.map(\.key)
  }

  /// Forgets an event that has been started.
  mutating func started(_ id: Int64) { Self.key(id).map { key in _ = ended[key]?.removeValue(forKey: id) } }

  mutating func fate(isReliable: Bool) -> Fate {
    isReliable || !chance(of: 8) ? .answered : pick(Array(Fate.allCases.dropFirst())) ?? .answered
  }

  mutating func loseSession() { (session, locked) = (session + 1, false) }

  /// Carries out a poll: all that it settles, and all that it reads.
  mutating func carryOut(_ request: PollRequest) -> PollAnswer {
    request.ended.forEach { settle($0) }
    var answer = PollAnswer()
    if request.gate.releases { locked = false }
    if !request.gate.takes.isEmpty, !locked { (locked, answer.locked) = (true, [0]) }
    if request.needsNumber || !request.ended.isEmpty {
      answer.snapshot.own = nextTransaction
      nextTransaction += 1
    }
    guard let cursor = request.cursors[0] else { return answer }
    answer.snapshot.xmin = min(oldestTransaction ?? .max, answer.snapshot.own ?? nextTransaction)
    if request.asksForAllocators { answer.openAllocators = oldestTransaction.map { [0: $0] } ?? [:] }
    if request.readsNew { answer.newEvents = newEvents(request, cursor) }
    answer.backlog = request.backlog.map(read)
    if !request.retried.isEmpty {
      let known = Set(request.retrying.map(\.id))
      answer.retries = retries.keys.filter { !known.contains($0) }.sorted()
        .map { .retry($0, key: Self.key($0), attempt: retries[$0] ?? 1) }
    }
    return answer
  }

  private mutating func settle(_ attempt: EndedAttempt) {
    let (id, table) = (attempt.place.id, attempt.place.table)
    guard table == .events ? waiting.remove(id) != nil : retries[id] != nil else { return }
    retries[id] = attempt.isDone ? nil : attempt.nextAttempt
    if attempt.isDone { settled[id, default: 0] += 1 }
  }

  /// The events that hold keys.
  var blockers: [EventStore.Blocker] {
    retries.keys.compactMap { id in
      Self.key(id).map { EventStore.Blocker(function: "f", key: $0, partition: 0, id: id) }
    }
  }

  private func newEvents(_ request: PollRequest, _ cursor: PartitionCursor) -> [NewEvent] {
    let rows = waiting.sorted()
    let late = (request.readsHoles ? cursor.holes : []).flatMap { hole -> [Int64] in
      guard request.crowded.isEmpty || !hole.exceeds(EventStore.batch) else { return [] }
      return Array(rows.filter { hole.ids.contains($0) }.prefix(EventStore.batch))
    }
    let new = request.brings(0) ? rows.filter { $0 > cursor.last }.prefix(EventStore.batch) : []
    return late.sorted().map {
      .new($0, key: Self.key($0), isLate: true, writer: writers[$0] ?? 0, hasBody: request.crowded.isEmpty)
    }
      + new.map { .new($0, key: Self.key($0), hasBody: request.full.isEmpty) }
  }

  private func read(_ range: BacklogRange) -> ReadBacklog {
    let rows = waiting.sorted().filter {
      $0 > range.backlog.after && $0 <= range.backlog.through && (range.key == nil || range.key == Self.key($0))
    }
    let read = rows.prefix(range.most)
    let through = read.count == range.most ? read.last ?? range.backlog.through : range.backlog.through
    return ReadBacklog(events: read.map { .of($0, key: Self.key($0)) }, through: through)
  }

  static func key(_ id: Int64) -> String? { id % 3 == 0 ? "k\(id % 7)" : nil }
}
