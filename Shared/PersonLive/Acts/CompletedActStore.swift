import FoundationEssentials
package import FunctionKit
import Notifications
package import Postgres
package import StoreLive

/// The effects of acts that people were asked for, and of reading notifications, in PostgreSQL.
package struct CompletedActStore: Sendable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// A store in the database that the environment names; it connects at the first use.
  package static func live(_ environment: Environment, name: String) throws(FunctionError) -> CompletedActStore {
    CompletedActStore(try Connection(environment, name: name, givesWay: true))
  }

  /// Settles the notifications that asked for an act, and puts the badge on the person's other devices, once.
  ///
  /// A repeated event has no further effect and gets the recorded result. An act without an effect is not recorded. A
  /// dry run only counts.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func settle(_ act: CompletedAct, _ event: EventContext) async throws -> ActResult {
    do {
      if event.dryRun {
        return try await connection.transaction(.repeatableRead, readOnly: true) { transaction in
          try await transaction.rehearse(act, event)
        }
      }
      return try await GivingWay.repeating {
        try await connection.transaction { transaction in
          guard let person = try await transaction.person(of: act, at: event.now) else {
            return ActResult(of: event, reason: Suppression.subjectGone.rawValue)
          }
          let rows = try await transaction.pipeline([.lockState(of: [person.id], in: person.app), event.recorded])
          if let recorded = rows[1].first?["result"] { return try ActResult(recorded: recorded) }
          let result = try await transaction.settle(act, by: person, event)
          if result.hasEffect { _ = try await transaction.query(event.record(try JSONCoding.encode(result))) }
          return result
        }
      }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  /// Settles acts in one transaction, with the results that they would have one after the other.
  ///
  /// It returns no results if they have to be settled one by one: in a dry run, or if an event is among them twice.
  /// - Throws: ``FunctionError``; then it has settled none of them.
  package func settle(_ acts: [(act: CompletedAct, event: EventContext)]) async throws -> [ActResult] {
    let isOnce = Set(acts.map { [$0.event.source, $0.event.id] }).count == acts.count
    guard acts.count > 1, isOnce, acts.allSatisfy({ !$0.event.dryRun }) else { return [] }
    do {
      return try await GivingWay.repeating {
        try await connection.transaction { transaction in
          var batch = ActBatch(acts, transaction)
          return try await batch.settle()
        }
      }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }
}
