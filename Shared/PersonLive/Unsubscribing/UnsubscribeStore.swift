public import FoundationEssentials
public import FunctionKit
public import Postgres
import StoreLive

/// The switches that links in mails turn, in PostgreSQL.
///
/// Everybody who is told of a project or group can mute it, even if they are no member: the gates ask everybody.
public struct UnsubscribeStore: Sendable {
  let connection: Connection

  /// A store on a connection.
  public init(_ connection: Connection) { self.connection = connection }

  /// A store in the database that the environment names; nothing is connected before the first use.
  public static func live(_ environment: Environment, name: String) throws(FunctionError) -> UnsubscribeStore {
    UnsubscribeStore(try Connection(environment, name: name))
  }

  /// The person with an e-mail address, in any capitalisation.
  public func person(named email: String) async throws(PostgresError) -> Person? {
    try await connection.query(
      "SELECT id FROM users WHERE lower(email) = lower(\(email)) ORDER BY email = \(email) DESC, created_at LIMIT 1"
    ).first.map { row throws(PostgresError) in Person(id: try row.decode("id")) }
  }

  /// How a switch stands; `nil` where the person, project or group is gone.
  public func state(of unsubscription: Unsubscription) async throws(PostgresError) -> SubscriptionState? {
    try await Self.state(of: unsubscription, connection)
  }

  /// Turns a switch and says how it stands then; `nil` where the person, project or group is gone.
  ///
  /// A switch that stands as it should is not touched.
  public func turn(
    _ unsubscription: Unsubscription, on isOn: Bool, at now: Date, dryRun: Bool = false
  ) async throws -> SubscriptionState? {
    try await connection.change(by: unsubscription.person, dryRun: dryRun) { transaction in
      let before = try await Self.state(of: unsubscription, transaction)
      guard let before, before.isOn != isOn else { return before }
      _ = try await transaction.query(.turn(unsubscription, on: isOn, at: now))
      return SubscriptionState(name: before.name, isOn: isOn)
    }
  }

  private static func state(
    of unsubscription: Unsubscription, _ executor: some SQLExecutor
  ) async throws(PostgresError) -> SubscriptionState? {
    try await executor.query(.state(of: unsubscription)).first.map { row throws(PostgresError) in
      SubscriptionState(name: row["name"], isOn: try row.decode("is_on"))
    }
  }
}

/// How a switch stands.
public struct SubscriptionState: Sendable, Equatable {
  /// The project's or group's name; `nil` for a kind.
  public let name: String?
  /// Whether the person is told.
  public let isOn: Bool
}
