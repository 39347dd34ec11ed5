public import FoundationEssentials

/// The person who caused an event, and so is not told of it.
public struct Actor: Sendable, Equatable {
  /// The person's accounts: several where one address is registered in different cases, none where nobody is known.
  public let accounts: Set<UUID>
  /// The key that tells them apart where several people's acts are merged; `nil` where nothing is known of them.
  public let key: String?

  /// Nobody is known to have caused the event.
  public static let unknown = Actor()

  /// Picks the first clue that names somebody.
  /// - Parameters:
  ///   - claimed: the event's `actorid`.
  ///   - byID: the registered user whose id is the row's `user_id`.
  ///   - byEmail: the registered users whose address is the row's.
  ///   - asSubmitter: the feedback's submitter, where the row's `user_id` is the feedback's.
  ///   - asOwner: the project's owner, where an administrator made the row and there is no other.
  ///   - key: the row's `user_id`, no matter what it is.
  public init(
    claimed: String? = nil, byID: [UUID] = [], byEmail: [UUID] = [], asSubmitter: [UUID] = [],
    asOwner: [UUID] = [], key: String? = nil
  ) {
    let claimed = claimed.flatMap(UUID.init(uuidString:)).map { [$0] } ?? []
    self.key = key ?? claimed.first?.uuidString.lowercased()
    accounts = Set([claimed, byID, byEmail, asSubmitter, asOwner].first { !$0.isEmpty } ?? [])
  }
}
