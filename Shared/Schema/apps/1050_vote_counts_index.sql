-- Compatible
-- A proposal's numbers of voters are found among all that was told of it.
CREATE INDEX IF NOT EXISTS idx_notifications_vote_counts ON notifications (proposal_id, user_id)
  WHERE type = 'vote_count' AND origin = 'function';
