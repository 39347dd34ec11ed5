import FoundationEssentials
import Notifications
import StoreLive

extension ProposalVoteCast {
  /// A row of `proposal_votes`.
  struct Row: Decodable, Sendable {
    let id: UUID
    let proposalID: UUID
    /// `nil` where people vote on proposals without options.
    let optionID: UUID?
    let userID: UUID
    let vote: ProposalVote
    let createdAt: Date?
    let updatedAt: Date?

    private enum CodingKeys: String, CodingKey {
      case id
      case proposalID = "proposal_id"
      case optionID = "option_id"
      case userID = "user_id"
      case vote
      case createdAt = "created_at"
      case updatedAt = "updated_at"
    }

    func change(from old: Row?) -> VoteChange {
      VoteChange(
        id: id, proposal: proposalID, option: optionID, voter: userID, from: old?.vote, to: vote,
        at: old?.time == time ? nil : time)
    }

    private var time: Date? { [createdAt, updatedAt].compactMap(\.self).max() }
  }
}
