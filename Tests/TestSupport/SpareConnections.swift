package import Postgres
import Synchronization

/// The connections of one test, which its functions use one after another.
///
/// Most of what a short test costs is a server's new session, which plans each statement for the first time. A
/// connection that nobody holds any more is handed out again; two that are held at the same time are two.
package final class SpareConnections: Sendable {
  private let made = Mutex<[String: [Connection]]>([:])

  package init() {}

  /// A connection that nobody else holds.
  ///
  /// - Parameters:
  ///   - kind: the name and parameters that `make` gives a session; sessions of another kind are left alone.
  ///   - make: makes one if all of its kind are held.
  package func take(_ kind: String, make: () -> Connection) -> Connection {
    made.withLock { made in
      for index in made[kind, default: []].indices
      where isKnownUniquelyReferenced(&made[kind, default: []][index]) {
        return made[kind, default: []][index]
      }
      let connection = make()
      made[kind, default: []].append(connection)
      return connection
    }
  }

  /// Ends the sessions that nobody holds, and the others when their last holder is gone.
  package func letGo() { made.withLock { $0 = [:] } }
}
