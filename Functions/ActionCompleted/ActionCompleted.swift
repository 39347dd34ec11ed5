import FoundationEssentials
import FunctionKit
import PersonLive
import StoreLive

/// Settles the notifications that asked a person for an act, and puts the badge on their other devices.
///
/// It does the same if the badge may have changed although nobody is told of it.
@main
struct ActionCompleted: BatchFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
    let status: String?
    let isRead: Bool?
    let isArchived: Bool?
    let countsForBadge: Bool?
    /// The function that decided on the notification; `nil` if none has yet.
    let function: String?

    private enum CodingKeys: String, CodingKey {
      case id, status, function
      case isRead = "is_read"
      case isArchived = "is_archived"
      case countsForBadge = "counts_for_badge"
    }
  }

  static let summary = "Settles what an act answers, and corrects badges (votes, answers, readings, deletions)."
  let store: CompletedActStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> ActResult {
    try await store.settle(try event.data.act(), EventContext(event, context))
  }

  func handle(
    _ batch: [(event: Event<RowChange<Row>>, context: Context)]
  ) async throws -> [Result<ActResult, any Error>] {
    let acts = batch.map { call in
      Result { (act: try call.event.data.act(), event: EventContext(call.event, call.context)) }
    }
    return try await acts.handledTogether { try await store.settle($0) }
  }
}

extension RowChange<ActionCompleted.Row> {
  fileprivate func act() throws(FunctionError) -> CompletedAct {
    switch table {
    case "proposal_votes":
      let (old, new) = try insertedOrUpdated(in: table)
      return .vote(new.id, isNew: old == nil)
    case "friend_requests":
      let (old, new) = try updated(in: table)
      return .friendRequest(new.id, wasPending: old.status == "pending")
    case "group_invites":
      let (old, new) = try updated(in: table)
      return .groupInvite(new.id, wasPending: old.status == "pending")
    case "notifications":
      let (old, new) = try updated(in: table)
      return .reading(new.id, wasCounted: (old.function == nil) == (new.function == nil) ? old.isCounted : nil)
    case "badge_losses":
      return .loss(try inserted(into: table).id)
    default:
      throw FunctionError(
        .invalidEvent,
        "table must be \"proposal_votes\", \"friend_requests\", \"group_invites\", \"notifications\" or \"badge_losses\"."
      )
    }
  }
}

extension ActionCompleted.Row {
  fileprivate var isCounted: Bool { countsForBadge != false && isRead != true && isArchived != true }
}
