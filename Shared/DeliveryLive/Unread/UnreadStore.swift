package import FoundationEssentials
package import FunctionKit
import Notifications
package import Postgres
package import StoreLive

/// The notifications that may stay unread, in PostgreSQL.
///
/// A trigger notes each new one of a kind with a rule. When its time has come, it is asked again whether it is unread and
/// true, and whether the person may be told. If so, the function of the rule gets it, as a row of `unread_notifications`.
///
/// Runners with other rules may work in the same database. Each writes its own rules, again and again, and takes what its
/// rules are for; what no runner takes ends after a day, as do rules that none has any more.
package struct UnreadStore: Sendable {
  /// The most notifications in a transaction.
  private static let most = 200
  /// The longest that a run takes: the next one begins with the rest.
  private static let longest = Duration.seconds(30)

  private let connection: Connection
  private let rules: [UnreadRule]

  package init(_ connection: Connection, rules: [UnreadRule]) { (self.connection, self.rules) = (connection, rules) }

  /// A store in the database and with the rules that the environment names; it connects at the first use.
  package static func live(_ environment: Environment, name: String) throws(FunctionError) -> UnreadStore {
    UnreadStore(
      try Connection(environment, name: name, givesWay: true, parameters: [("enable_seqscan", "off")]),
      rules: try UnreadRule.all(environment))
  }

  /// The fate of all that was due.
  package struct Result: Encodable, Sendable, Equatable {
    /// The number of notifications that functions get.
    package internal(set) var given = 0
    /// The number of notifications that wait again.
    package internal(set) var waiting = 0
    /// The number of notifications that no function gets.
    package internal(set) var ended = 0
    /// When the next ones come due; absent if nothing waits.
    package internal(set) var wakeAt: Date?

    mutating func add(_ verdicts: [UnreadVerdict]) {
      for verdict in verdicts {
        switch verdict.outcome {
        case .give: given += 1
        case .wait: waiting += 1
        case .end: ended += 1
        }
      }
    }
  }

  /// Writes the rules, and decides about everything that is due and that they are for.
  ///
  /// Two concurrent runs may check: what one of them has locked, the other passes by.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func check(at now: Date, dryRun: Bool, log: Log = Log()) async throws -> Result {
    let begin = ContinuousClock.now
    var result = Result()
    do {
      let start = try await connection.query(.unreadStart(rules, at: now)).only()
      let asked: Date = try start.decode("now")
      if dryRun {
        result.add(
          try await connection.transaction(readOnly: true) { [rules] transaction in
            let due = try await transaction.query(.unreadDue(Self.most, of: rules, at: asked, locking: false))
            return try await Self.decide(on: due, at: asked, transaction)
          })
      } else {
        if try start.decode("is_behind") { _ = try await connection.pipeline(SQL.followUnread(rules)) }
        while ContinuousClock.now - begin < Self.longest {
          let verdicts = try await checkSome(Self.most, at: asked, log)
          result.add(verdicts)
          if verdicts.count < Self.most, !verdicts.contains(where: \.outcome.isDuplicate) { break }
        }
      }
      let next: Date? = try await connection.query(.nextUnread(of: rules)).only().optional("next")
      // Another run may have locked what is due; and the machine's clock may be ahead.
      let due = next.map { max(now.addingTimeInterval($0.timeIntervalSince(asked)), now.addingTimeInterval(1)) }
      let confirmation = rules.isEmpty ? nil : now.addingTimeInterval(TimeInterval(UnreadRule.confirmation))
      result.wakeAt = [due, confirmation].compactMap(\.self).min()
      return result
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  /// Decides about some of what is due; if that fails because of its rows, about one after the other.
  private func checkSome(_ limit: Int, at now: Date, _ log: Log) async throws -> [UnreadVerdict] {
    do {
      return try await connection.transaction { [rules] transaction in
        _ = try await transaction.query(GivingWay.inTransaction)
        let due = try await transaction.query(.unreadDue(limit, of: rules, at: now, locking: true))
        let verdicts = try await Self.decide(on: due, at: now, transaction)
        if !verdicts.isEmpty { _ = try await transaction.pipeline(SQL.write(verdicts, at: now)) }
        return verdicts
      }
    } catch  where error.isOfRows {
      if limit > 1 {
        var verdicts: [UnreadVerdict] = []
        for _ in 0..<limit {
          let one = try await checkSome(1, at: now, log)
          verdicts += one
          if one.isEmpty { break }
        }
        return verdicts
      }
      return try await connection.query(.putOffUnread(of: rules, at: now)).map { row in
        let hasEnded: Bool = try row.decode("has_ended")
        log.error(
          hasEnded ? "A notification that stays unread is given up" : "A notification that stays unread is put off",
          ["error.cause": "\(error)"])
        return UnreadVerdict(
          notification: try row.decode("notification_id"), function: try row.decode("function"),
          outcome: hasEnded ? .end(reason: UnreadVerdict.failed) : .wait(until: now, reason: nil))
      }
    }
  }

  private static func decide(
    on due: Rows, at now: Date, _ transaction: Transaction
  ) async throws -> [UnreadVerdict] {
    var verdicts: [UnreadVerdict] = []
    for (name, rows) in Dictionary(grouping: due, by: { $0["app"] ?? "" }) {
      guard let app = App(rawValue: name) else {
        verdicts += try rows.map {
          UnreadVerdict(
            notification: try $0.decode("notification_id"), function: try $0.decode("function"), outcome: .unknown)
        }
        continue
      }
      let facts = try rows.map(UnreadFacts.init)
      let found = try await transaction.query(.waiting(.unread(facts.map(\.notification)), in: app, at: now))
      var zones = Zones()
      let parts = try found.compactMap { try Waiting($0, of: app, at: now, &zones) }
      let current = try await CurrentFacts(of: parts, at: now, transaction)
      let byID = Dictionary(parts.map { ($0.id, $0.orGone(current)) }) { first, _ in first }
      verdicts += facts.map { $0.verdict(on: byID[$0.notification], at: now) }
    }
    return verdicts
  }
}
