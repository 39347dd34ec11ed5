import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive

/// Acts that are settled in one transaction.
///
/// An act of one person changes nothing for others. So each round settles the next act of each person, in one round
/// trip.
struct ActBatch {
  private let acts: [(act: CompletedAct, event: EventContext)]
  private let transaction: Transaction
  /// The person of each act; `nil` if there is nothing to settle.
  private var people: [ActingPerson?] = []
  private var results: [ActResult]
  /// The pushes of badges that the last round may have made necessary.
  private var badges: [(number: Int, push: [SQL])] = []

  init(_ acts: [(act: CompletedAct, event: EventContext)], _ transaction: Transaction) {
    (self.acts, self.transaction) = (acts, transaction)
    results = acts.map { ActResult(of: $0.event, reason: Suppression.subjectGone.rawValue) }
  }

  /// Settles all acts and commits; returns the result that each would have alone.
  mutating func settle() async throws -> [ActResult] {
    people = try await GatheredQueries.each(acts, in: transaction) { given, queries in
      try ActingPerson(try await queries.query(given.act.facts(at: given.event.now)))
    }
    try await takePeople()
    for (round, numbers) in rounds.enumerated() { try await settle(numbers, isFirst: round == 0) }
    try await pushBadges(with: [])

    let effects = results.indices.filter { people[$0] != nil && results[$0].hasEffect }
    let records = try effects.map { acts[$0].event.record(try JSONCoding.encode(results[$0])) }
    _ = try await transaction.commit(after: records)
    return results
  }

  /// Locks the people, and finds the results of events that were handled before.
  private mutating func takePeople() async throws {
    let locks = SQL.lockStates(
      of: people.reduce(into: [:]) { people, person in
        if let person { people[person.app, default: []].insert(person.id) }
      })
    let recorded = try await transaction.pipeline(locks + acts.map(\.event.recorded)).dropFirst(locks.count)
    for (number, rows) in zip(acts.indices, recorded) where people[number] != nil {
      guard let result = rows.first?["result"] else { continue }
      results[number] = try ActResult(recorded: result)
      people[number] = nil
    }
  }

  /// The numbers of the acts: the first of each person, the second of each, and so on.
  private var rounds: [[Int]] {
    var (rounds, counts): ([[Int]], [UUID: Int]) = ([], [:])
    for (number, person) in people.enumerated() {
      guard let person else { continue }
      let round = counts[person.id, default: 0]
      counts[person.id] = round + 1
      if round == rounds.count { rounds.append([]) }
      rounds[round].append(number)
    }
    return rounds
  }

  /// Settles an act of each of some people.
  /// - Parameter isFirst: whether the facts are read already; an earlier act of the person may have changed them.
  private mutating func settle(_ numbers: [Int], isFirst: Bool) async throws {
    let facts = isFirst ? [] : numbers.map { acts[$0].act.facts(at: acts[$0].event.now) }
    let settling = numbers.map { SQL.settle(acts[$0].act, at: acts[$0].event.now) }.asOwnWrites
    var rows = try await pushBadges(with: facts + settling)[...]
    if !isFirst {
      for number in numbers { people[number] = try ActingPerson(rows.removeFirst()) }
    }
    for (number, rows) in zip(numbers, rows.dropFirst()) {
      guard let person = people[number] else { continue }
      let event = acts[number].event
      results[number] = ActResult(of: event)
      let device = try results[number].read(try rows.only())
      guard results[number].movesBadge(of: person) else { continue }
      badges.append((number, SQL.pushBadges(to: [person.id], in: person.app, except: device, event)))
    }
  }

  /// Pushes the badges that have changed, and runs statements after that.
  ///
  /// All waiting pushes are locked before the first push changes a device, because a sender locks deliveries before devices.
  @discardableResult
  private mutating func pushBadges(with statements: [SQL]) async throws -> [Rows] {
    let changes = badges.map { $0.push[0] } + badges.map { $0.push[1] }
    let rows = try await transaction.pipeline(changes + statements).dropFirst(badges.count)
    for (badge, rows) in zip(badges, rows) { results[badge.number].badgePushes = rows.affectedRows }
    defer { badges = [] }
    return Array(rows.dropFirst(badges.count))
  }
}
