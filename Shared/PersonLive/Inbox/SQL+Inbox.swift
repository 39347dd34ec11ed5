import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// One page of a person's inbox: two sections have their own order, everything else has the newest first.
  static func inbox(
    _ filter: InboxFilter, of person: SQL, after cursor: InboxCursor?, limit: Int, at now: Date
  ) -> SQL {
    switch filter.category {
    case .pendingVotes: pendingVotes(filter, of: person, after: cursor, limit: limit, at: now)
    case .upcoming: upcomingEvents(filter, of: person, after: cursor, limit: limit, at: now)
    case .activity, nil: newest(filter, of: person, after: cursor, limit: limit, at: now)
    }
  }

  /// One page of a person's notifications, the newest first.
  ///
  /// It merges lists that an index has in this order: the read and the unread ones, and those of each kind.
  private static func newest(
    _ filter: InboxFilter, of person: SQL, after cursor: InboxCursor?, limit: Int, at now: Date
  ) -> SQL {
    let after: SQL = cursor.map { "AND (n.created_at, n.id) < (\($0.time), \($0.id))" } ?? ""
    func list(whereRead isRead: SQL) -> SQL {
      """
      SELECT \(InboxItem.sources) FROM notifications n
      WHERE n.user_id = \(person) AND \(isInList(filter)) AND coalesce(n.is_read, false) = \(isRead)
        AND \(isInInbox(at: now)) AND isfinite(n.created_at) \(after)
      ORDER BY n.created_at DESC, n.id DESC LIMIT \(limit)
      """
    }
    let lists: SQL
    if let category = filter.category {
      lists = """
        SELECT n.* FROM unnest(\(filter.isUnread ? [false] : [false, true])) AS r (is_read)
        CROSS JOIN unnest(\(category.kinds.map(\.name))) AS k (name)
        CROSS JOIN LATERAL (\(list(whereRead: "r.is_read"))) n
        """
    } else {
      // With literals, the lists are merged without a sort, and no list is read further than the page needs.
      lists = "(\(list(whereRead: "false")))" + (filter.isUnread ? "" : " UNION ALL (\(list(whereRead: "true")))")
    }
    return """
      SELECT \(InboxItem.columns()), n.id AS place_id, n.created_at AS place_time
      FROM (\(lists)) n
      ORDER BY n.created_at DESC, n.id DESC LIMIT \(limit)
      """
  }

  private static func isInList(_ filter: InboxFilter) -> SQL {
    // The index over kinds has this app's rows only; the planner can use it with a literal, but not with a parameter.
    filter.category == nil ? "n.app = \(filter.app.rawValue)" : "n.app = 'lockitin' AND lower(n.type) = k.name"
  }

  private static func isInInbox(at now: Date) -> SQL {
    "n.is_archived IS NOT TRUE AND coalesce(n.expires_at, 'infinity') > \(now)"
  }

  /// A person's unread entries of an app.
  static func unread(in app: App, of person: SQL, at now: Date) -> SQL {
    """
    n.user_id = \(person) AND n.app = \(app.rawValue) AND coalesce(n.is_read, false) = false
      AND \(isInInbox(at: now))
    """
  }

  /// Records that all that is there was read, and locks the person's row, as every notification does.
  /// - Returns: what the badge `was`.
  static func noteAllRead(in app: App, of person: Person, at now: Date) -> SQL {
    """
    INSERT INTO notification_state AS s (user_id, app, all_read_at) VALUES (\(person.id), \(app.rawValue), \(now))
    ON CONFLICT (user_id, app) DO UPDATE SET all_read_at = greatest(s.all_read_at, excluded.all_read_at)
    RETURNING push_badge(\(person.id), \(app.rawValue), \(now)) AS was
    """
  }

  /// Marks some as read.
  ///
  /// The person's row is locked here, so another transaction that has locked an entry will mark it as read or archive
  /// it.
  static func markRead(in app: App, of person: Person, limit: Int, at now: Date) -> SQL {
    """
    UPDATE notifications SET is_read = true, updated_at = \(now)
    WHERE id = ANY (ARRAY(
      SELECT n.id FROM notifications n WHERE \(unread(in: app, of: "\(person.id)", at: now))
      LIMIT \(limit) FOR NO KEY UPDATE SKIP LOCKED))
    """
  }
}
