import FoundationEssentials
public import FunctionKit
import Notifications
public import Postgres

/// What follows when people do what they were asked for, or read what they were told, in PostgreSQL.
public struct CompletedActStore: Sendable {
  let connection: Connection

  /// A store on a connection.
  public init(_ connection: Connection) { self.connection = connection }

  /// A store in the database that the environment names; nothing is connected before the first use.
  public static func live(_ environment: Environment, name: String) throws(FunctionError) -> CompletedActStore {
    CompletedActStore(try Connection(environment, name: name, givesWay: true))
  }

  /// Settles what asked for an act and lowers the badge on the person's other devices, once.
  ///
  /// A repeated event has no further effect and gets the recorded result; only what had an effect is recorded. In a dry
  /// run everything is only counted.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` whenever another try makes sense.
  public func settle(_ act: CompletedAct, _ event: Occurrence) async throws -> Settlement {
    do {
      if event.dryRun {
        return try await connection.transaction(.repeatableRead, readOnly: true) { transaction in
          try await transaction.rehearse(act, event)
        }
      }
      return try await GivingWay.repeating {
        try await connection.transaction { transaction in
          guard let person = try await transaction.person(of: act, at: event.now) else {
            return Settlement(of: event, reason: Suppression.subjectGone.rawValue)
          }
          let rows = try await transaction.pipeline([.lockState(of: [person.id], in: person.app), event.recorded])
          if let recorded = try event.settlement(rows[1]) { return recorded }
          let settlement = try await transaction.settle(act, by: person, event)
          if settlement.hasEffect { _ = try await transaction.query(event.record(settlement)) }
          return settlement
        }
      }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }
}
