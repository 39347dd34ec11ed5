/// The sections of LockItIn's inbox; the other apps' have none.
package enum InboxCategory: String, Sendable, CaseIterable {
  /// Proposals that ask for a vote.
  case pendingVotes = "pending_votes"
  /// Confirmed events.
  case upcoming
  /// Everything else: requests, invitations, votes of others, conflicts, memories.
  case activity
}
