package import FoundationEssentials
package import FunctionKit
import Notifications
package import Postgres
package import StoreLive

/// The notifications that may stay unread, in PostgreSQL.
///
/// A trigger notes each new one of a kind with a rule. When its time has come, it is asked again whether it is unread and
/// true, and whether the person may be told. If so, the function of the rule gets it, as a row of `unread_notifications`.
package struct UnreadStore: Sendable {
  /// The most notifications in a transaction.
  private static let most = 200
  /// What is left after this time starts the next run.
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

  /// What became of what was due.
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

  /// Decides about everything that is due, and follows the rules from now on.
  ///
  /// Two concurrent runs may check: what one of them has locked, the other passes by.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func check(at now: Date, dryRun: Bool, log: Log = Log()) async throws -> Result {
    let begin = ContinuousClock.now
    var result = Result()
    do {
      if dryRun {
        result.add(
          try await connection.transaction(readOnly: true) { transaction in
            let due = try await transaction.query(.unreadDue(Self.most, at: now, locking: false))
            return try await Self.decide(on: due, at: now, transaction)
          })
      } else {
        try await followRules()
        while ContinuousClock.now - begin < Self.longest {
          let verdicts = try await checkSome(Self.most, at: now, log)
          result.add(verdicts)
          if verdicts.count < Self.most { break }
        }
      }
      result.wakeAt = try await connection.query(.nextUnread).only().optional("next")
      // Another run may have locked what is due.
      result.wakeAt = result.wakeAt.map { max($0, now.addingTimeInterval(1)) }
      return result
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  /// Whether a notification that a function got is still unread, and the person still wants to hear of it: a function that
  /// takes its time, or is tried again, asks before it tells.
  package func isStillUnread(_ notification: UUID) async throws(FunctionError) -> Bool {
    do {
      return try await !connection.query(.stillUnread(notification)).isEmpty
    } catch {
      throw FunctionError(database: error)
    }
  }

  private func followRules() async throws {
    let change: SQL = .followUnread(rules)
    if try await !connection.query(.differingRules(rules)).isEmpty { _ = try await connection.query(change) }
    if rules.isEmpty { _ = try await connection.query("DELETE FROM unread_checks WHERE check_at IS NOT NULL") }
  }

  /// Decides about some of what is due; if that fails because of its rows, about one after the other.
  private func checkSome(_ limit: Int, at now: Date, _ log: Log) async throws -> [UnreadVerdict] {
    do {
      return try await connection.transaction { transaction in
        _ = try await transaction.query(GivingWay.inTransaction)
        let due = try await transaction.query(.unreadDue(limit, at: now, locking: true))
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
      log.error("A notification that stays unread is put off", ["error.cause": "\(error)"])
      return try await connection.query(.putOffUnread(at: now)).map { row in
        UnreadVerdict(notification: try row.decode("notification_id"), outcome: .wait(until: now, reason: nil))
      }
    }
  }

  private static func decide(
    on due: Rows, at now: Date, _ transaction: Transaction
  ) async throws -> [UnreadVerdict] {
    var verdicts: [UnreadVerdict] = []
    for (name, rows) in Dictionary(grouping: due, by: { $0["app"] ?? "" }) {
      guard let app = App(rawValue: name) else {
        verdicts += try rows.map { try UnreadVerdict(notification: $0.decode("notification_id"), outcome: .unknown) }
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
