package import FoundationEssentials
package import FunctionKit
import Notifications
package import Postgres
import StoreLive

/// The switches behind the links in mails, in PostgreSQL.
///
/// Everybody who gets notifications of a project or group can mute it, also without being a member: the gates check it.
package struct UnsubscribeStore: Sendable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// A store in the database that the environment names; it connects at the first use.
  package static func live(_ environment: Environment, name: String) throws(FunctionError) -> UnsubscribeStore {
    UnsubscribeStore(try Connection(environment, name: name))
  }

  /// The person with an e-mail address, in any case of ASCII letters; of several, one whose address is verified.
  package func person(named email: String) async throws(PostgresError) -> Person? {
    try await connection.query(
      """
      SELECT id FROM users u WHERE \(.hasAddress("u", "\(email)"))
      ORDER BY push_is_verified(to_jsonb(u)) DESC, email = \(email) DESC, to_jsonb(u) ->> 'created_at' LIMIT 1
      """
    ).first.map { row throws(PostgresError) in Person(id: try row.decode("id")) }
  }

  /// The state of a switch; `nil` if the person, project or group is gone.
  package func state(of unsubscription: Unsubscription) async throws(PostgresError) -> SubscriptionState? {
    try await Self.state(of: unsubscription, connection)
  }

  /// The tag of the language that the link's person reads in its app; `nil` if it is not known.
  package func language(of unsubscription: Unsubscription) async throws(PostgresError) -> String? {
    let (person, app) = (unsubscription.person.id, unsubscription.app)
    let preferences = app.profile.preferences
    return try await connection.query(
      """
      SELECT \(preferences.language(of: app, user: "u.id")) AS language
      FROM (SELECT \(person)::uuid AS id) u \(preferences.join(of: app, user: "u.id"))
      """
    ).first?["language"]
  }

  /// Turns a switch and returns its new state; `nil` if the person, project or group is gone.
  ///
  /// A switch with the right state is not written. Who turns a project or group on ends its mute, too.
  package func turn(
    _ unsubscription: Unsubscription, on isOn: Bool, at now: Date, dryRun: Bool = false
  ) async throws -> SubscriptionState? {
    try await connection.change(by: unsubscription.person, dryRun: dryRun) { transaction in
      let before = try await Self.state(of: unsubscription, transaction)
      guard let before else { return nil }
      var statements = before.isOn == isOn ? [] : unsubscription.turned(on: isOn, at: now)
      let scope = unsubscription.muteScope
      let endsMute = isOn && scope != .app(unsubscription.app)
      if endsMute, before.muteEnd(of: scope) != nil {
        statements.append(.unmute(scope, by: unsubscription.person))
      }
      if !statements.isEmpty { _ = try await transaction.pipeline(statements) }
      let mutes = before.mutes.map { ($0.scope, endsMute && $0.scope == scope ? nil : $0.end) }
      return SubscriptionState(name: before.name, isOn: isOn, mutes: mutes)
    }
  }

  /// Mutes something until an instant or no longer; what the link's page does not have stays as it is.
  ///
  /// The link's switch stays as it is. `nil` if the person, project or group is gone.
  package func mute(
    _ scopes: [MuteScope], of unsubscription: Unsubscription, until end: Date?, at now: Date, dryRun: Bool = false
  ) async throws -> SubscriptionState? {
    try await connection.change(by: unsubscription.person, dryRun: dryRun) { transaction in
      guard let before = try await Self.state(of: unsubscription, transaction) else { return nil }
      let person = unsubscription.person
      let statements = before.mutes.map(\.scope).filter(scopes.contains).map { scope in
        end.map { SQL.mute(scope, until: $0, by: person, at: now) } ?? .unmute(scope, by: person)
      }
      if !statements.isEmpty { _ = try await transaction.pipeline(statements) }
      return try await Self.state(of: unsubscription, transaction)
    }
  }

  private static func state(
    of unsubscription: Unsubscription, _ executor: some SQLExecutor
  ) async throws(PostgresError) -> SubscriptionState? {
    let scopes = unsubscription.muteScopes
    let answers = try await executor.pipeline([unsubscription.state, .mutes(scopes, by: unsubscription.person)])
    guard let row = answers[0].first else { return nil }
    return SubscriptionState(
      name: row["name"], isOn: try row.decode("is_on"),
      mutes: try answers[1].map { mute throws(PostgresError) in
        (scopes[try mute.decode("place")], try mute.optional("muted_until"))
      })
  }
}

/// The state of a switch.
package struct SubscriptionState: Sendable {
  /// The project's or group's name; `nil` for a kind.
  package let name: String?
  /// Whether the person gets pushes.
  package let isOn: Bool
  /// The scopes that the link's page can mute, the least first, and the end of each one's mute; `nil` if none was set.
  package let mutes: [(scope: MuteScope, end: Date?)]

  fileprivate func muteEnd(of scope: MuteScope) -> Date? { mutes.first { $0.scope == scope }?.end }
}
