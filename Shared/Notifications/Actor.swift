public import FoundationEssentials

/// Who caused an event, and so is not told of it.
public struct Actor: Sendable, Equatable {
  /// The person's accounts: several where one address is registered in different cases, none where nobody is known.
  public let accounts: Set<UUID>

  /// Nobody is known to have caused the event.
  public static let unknown = Actor()

  /// Picks the first clue that names somebody.
  /// - Parameters:
  ///   - claimed: the event's `actorid`.
  ///   - byID: the registered user whose id is the row's `user_id`.
  ///   - byEmail: the registered users whose address is the row's.
  ///   - asSubmitter: the feedback's submitter, where the row's `user_id` is the feedback's.
  public init(claimed: String? = nil, byID: [UUID] = [], byEmail: [UUID] = [], asSubmitter: [UUID] = []) {
    let claimed = claimed.flatMap(UUID.init(uuidString:)).map { [$0] } ?? []
    accounts = Set([claimed, byID, byEmail, asSubmitter].first { !$0.isEmpty } ?? [])
  }
}
