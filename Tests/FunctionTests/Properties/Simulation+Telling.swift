import FunctionKit
import World

@testable import CommentAdded
@testable import ConflictDetected
@testable import EventConfirmed
@testable import FeedbackCreated
@testable import FriendRequested
@testable import GroupInvited
@testable import NotificationCreated
@testable import ProposalCreated
@testable import ProposalUpdated
@testable import ProposalVoteCast
@testable import StatusChanged
@testable import VoteCast

extension Simulation {
  /// Gives the event of an act to its function.
  func tell(of act: World.Act) async throws {
    guard let event = act.event else { return }
    switch event.function {
    case CommentAdded.name: try await hand(CommentAdded.init, event, act)
    case ConflictDetected.name: try await hand(ConflictDetected.init, event, act)
    case EventConfirmed.name: try await hand(EventConfirmed.init, event, act)
    case FeedbackCreated.name: try await hand(FeedbackCreated.init, event, act)
    case FriendRequested.name: try await hand(FriendRequested.init, event, act)
    case GroupInvited.name: try await hand(GroupInvited.init, event, act)
    case NotificationCreated.name: try await hand(NotificationCreated.init, event, act)
    case ProposalCreated.name: try await hand(ProposalCreated.init, event, act)
    case ProposalUpdated.name: try await hand(ProposalUpdated.init, event, act)
    case ProposalVoteCast.name: try await hand(ProposalVoteCast.init, event, act)
    case StatusChanged.name: try await hand(StatusChanged.init, event, act)
    case VoteCast.name: try await hand(VoteCast.init, event, act)
    default: violation("set up", "nobody hears of \(event.function)")
    }
  }
}
