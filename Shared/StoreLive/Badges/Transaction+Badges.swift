package import FoundationEssentials
package import Notifications
package import Postgres

extension Transaction {
  /// Pushes the badge to people's devices that show another number, in this transaction.
  ///
  /// No device gets a second push while one waits, nor a push of the number that it got last or is about to get.
  /// - Parameter device: the device that knows the number already.
  /// - Returns: how many devices get a push.
  package func pushBadges(
    to people: [UUID], in app: App, except device: UUID? = nil, _ event: EventContext
  ) async throws -> Int {
    let push = SQL.pushBadges(to: people, in: app, except: device, event)
    return try await pipeline([.lockState(of: people, in: app)] + push)[2].affectedRows
  }
}
