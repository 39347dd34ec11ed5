-- The inbox: pages of a person's entries, the newest first, all or unread, without a walk over the others.

-- Read and unread entries are two lists, which a page of all merges. Those that have ended are passed in the index.
CREATE INDEX IF NOT EXISTS idx_notifications_inbox ON notifications (
  user_id, app, (coalesce(is_read, false)), created_at DESC, id DESC, (coalesce(expires_at, 'infinity')))
  WHERE is_archived IS NOT TRUE;

-- LockItIn's inbox has sections, which are lists of kinds.
CREATE INDEX IF NOT EXISTS idx_notifications_inbox_kind ON notifications (
  user_id, lower(type), (coalesce(is_read, false)), created_at DESC, id DESC, (coalesce(expires_at, 'infinity')))
  WHERE app = 'lockitin' AND is_archived IS NOT TRUE;
