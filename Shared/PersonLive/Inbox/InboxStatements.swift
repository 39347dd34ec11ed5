import FoundationEssentials
import Notifications
import Postgres
import StoreLive

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

extension SQL {
  /// One page of open proposals of a person's groups that wait for the person's vote, by deadline, then the newest
  /// first.
  ///
  /// Each has the person's last notification about it; `id` is NULL if there is none.
  private static func pendingVotes(
    _ filter: InboxFilter, of person: SQL, after cursor: InboxCursor?, limit: Int, at now: Date
  ) -> SQL {
    let preferences = App.lockItIn.profile.preferences
    let made: SQL = "coalesce(p.created_at, '-infinity')"
    let after: SQL =
      cursor.map { cursor in
        """
        AND (p.deadline > \(cursor.time) OR p.deadline = \(cursor.time) AND (
          \(made) < l.made OR \(made) = l.made AND p.id > \(cursor.id)))
        """
      } ?? ""
    return """
      SELECT \(InboxItem.columns(until: "p.deadline")), p.id AS place_id, p.deadline AS place_time,
        p.title AS about, u.name AS organizer, p.visibility, p.group_id, g.name AS group_name,
        coalesce(p.created_at, \(now)) AS since, \(preferences.language(of: .lockItIn, user: "m.user_id")) AS language
      FROM group_members m
      JOIN event_proposals p ON p.group_id = m.group_id AND p.status = 'open'
        AND p.deadline > \(now) AND isfinite(p.deadline)
      JOIN groups g ON g.id = p.group_id
      JOIN users u ON u.id = p.created_by
      \(preferences.join(of: .lockItIn, user: "m.user_id"))
      CROSS JOIN (
        SELECT coalesce(
          (SELECT coalesce(created_at, '-infinity') FROM event_proposals WHERE id = \(cursor?.id as UUID?)),
          'infinity') AS made
      ) l
      LEFT JOIN LATERAL (\(lastNotified("n.proposal_id = p.id", of: Kind.askingForVotes, person))) n ON true
      WHERE m.user_id = \(person)
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
        \(isWanted(filter)) \(after)
      ORDER BY p.deadline, \(made) DESC, p.id LIMIT \(limit)
      """
  }

  /// One page of the confirmed events of a person's groups that are not over, by their start.
  ///
  /// Each has the person's last notification about it, as in ``pendingVotes(_:of:after:limit:at:)``.
  private static func upcomingEvents(
    _ filter: InboxFilter, of person: SQL, after cursor: InboxCursor?, limit: Int, at now: Date
  ) -> SQL {
    let after: SQL = cursor.map { "AND (e.starts_at, e.id) > (\($0.time), \($0.id))" } ?? ""
    let kinds = InboxCategory.upcoming.kinds
    let preferences = App.lockItIn.profile.preferences
    return """
      SELECT \(InboxItem.columns(until: "e.ends_at")), e.id AS place_id, e.starts_at AS place_time,
        e.title AS about, coalesce(u.name, g.name) AS organizer, \(strictestVisibility) AS visibility,
        coalesce(e.location, p.location) AS location, s.timezone, coalesce(e.created_at, \(now)) AS since,
        \(preferences.language(of: .lockItIn, user: "m.user_id")) AS language
      FROM group_members m
      JOIN events e ON e.group_id = m.group_id AND e.status = 'confirmed'
        AND e.ends_at > \(now) AND isfinite(e.starts_at)
      JOIN groups g ON g.id = e.group_id
      LEFT JOIN event_proposals p ON p.id = e.proposal_id
      LEFT JOIN users u ON u.id = coalesce(p.created_by, e.created_by)
      \(preferences.join(of: .lockItIn, user: "m.user_id"))
      LEFT JOIN LATERAL (\(lastNotified("n.event_id = e.id OR n.proposal_id = e.proposal_id", of: kinds, person))) n ON true
      WHERE m.user_id = \(person) \(isWanted(filter)) \(after)
      ORDER BY e.starts_at, e.id LIMIT \(limit)
      """
  }

  private static func lastNotified(_ condition: SQL, of kinds: [Kind], _ person: SQL) -> SQL {
    """
    SELECT n.* FROM notifications n
    WHERE n.user_id = \(person) AND n.app = \(App.lockItIn.rawValue) AND (\(condition))
      AND lower(n.type) = ANY (\(kinds.map(\.name))) AND n.merged_into IS NULL AND isfinite(n.created_at)
    ORDER BY n.created_at DESC, n.id DESC LIMIT 1
    """
  }

  /// An archived entry stays in its section while it is open, and counts as read.
  private static func isWanted(_ filter: InboxFilter) -> SQL {
    filter.isUnread ? "AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE" : ""
  }
}
