import Formats
package import FoundationEssentials

/// The person who caused an event; they are not notified of it.
package struct Actor: Sendable, Equatable {
  /// The person's accounts; none if the person is unknown.
  package let accounts: Set<UUID>
  /// The row's `user_id`, else the account that the event names; `nil` if nothing is known about them.
  package let key: String?

  /// Nobody is known to have caused the event.
  package static let unknown = Actor()

  /// Picks the first clue that names somebody.
  /// - Parameters:
  ///   - claimed: the event's `actorid`.
  ///   - byID: the registered user whose id is the row's `user_id`.
  ///   - byEmail: the registered user whose address is the row's.
  ///   - asSubmitter: the feedback's submitter, if the row has the feedback's `user_id`.
  ///   - asOwner: the project's owner, if an administrator made the row and the project has no other member.
  ///   - key: the row's `user_id`, of any form.
  package init(
    claimed: String? = nil, byID: [UUID] = [], byEmail: [UUID] = [], asSubmitter: [UUID] = [],
    asOwner: [UUID] = [], key: String? = nil
  ) {
    let claimed = claimed.flatMap(UUID.init(uuidString:)).map { [$0] } ?? []
    self.key = key ?? claimed.first?.lowercased
    accounts = Set([claimed, byID, byEmail, asSubmitter, asOwner].first { !$0.isEmpty } ?? [])
  }

  /// The key that tells them best from others when acts are merged: an account, else the row's `user_id`.
  ///
  /// Several people may write under one `user_id`, as `admin`.
  package var bestKey: String? { accounts.map(\.lowercased).min() ?? key }
}
