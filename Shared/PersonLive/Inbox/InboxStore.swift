package import FoundationEssentials
package import Notifications
package import Postgres
package import StoreLive

/// A person's notifications from an app, in PostgreSQL.
///
/// An entry that waits to be sent is already in the inbox. Entries that ended, were archived or were merged into
/// another are not.
package struct InboxStore: Sendable {
  let connection: Connection
  /// The most rows that one transaction changes.
  let chunk: Int

  package init(_ connection: Connection, chunk: Int = 5_000) { (self.connection, self.chunk) = (connection, chunk) }

  /// A person's entries in the order of the list, and the cursor of the next page; `nil` on the last.
  ///
  /// The sections list proposals that wait for the person's vote, and coming events, even if the person was not
  /// notified of them. Each has one entry while it is open.
  package static func page(
    _ filter: InboxFilter, after cursor: InboxCursor?, limit: Int, at now: Date
  ) -> PersonalRead<(items: [InboxItem], next: InboxCursor?)> {
    PersonalRead { person in
      .inbox(filter, of: person, after: cursor, limit: limit + 1, at: now)
    } answer: { rows in
      let items = try rows.prefix(limit).map { row in try InboxItem(row, in: filter, at: now) }
      guard rows.count > limit, let last = rows.prefix(limit).last else { return (items, nil) }
      return (items, InboxCursor(time: try last.decode("place_time"), id: try last.decode("place_id")))
    }
  }

  /// How many unread entries a person has, and the number on the app's icon.
  package static func counts(in app: App, at now: Date) -> PersonalRead<(unread: Int, badge: Int)> {
    PersonalRead { person in
      """
      SELECT (SELECT count(*) FROM notifications n WHERE \(SQL.unread(in: app, of: person, at: now))) AS unread, badge
      FROM push_badges(\(person), \(app.rawValue), \(now))
      """
    } answer: { rows in
      let row = try rows.only()
      return (try row.decode("unread"), try row.decode("badge"))
    }
  }

  /// Marks an entry as read; a repetition changes nothing.
  /// - Returns: whether the person has such an entry.
  package func markRead(_ id: UUID, of person: Person, at now: Date, dryRun: Bool = false) async throws -> Bool {
    try await set("is_read", of: id, person, at: now, dryRun)
  }

  /// Takes an entry out of the inbox; a repetition changes nothing.
  /// - Returns: whether the person has such an entry.
  package func archive(_ id: UUID, of person: Person, at now: Date, dryRun: Bool = false) async throws -> Bool {
    try await set("is_archived", of: id, person, at: now, dryRun)
  }

  private func set(
    _ column: String, of id: UUID, _ person: Person, at now: Date, _ dryRun: Bool
  ) async throws -> Bool {
    try await connection.change(by: person, dryRun: dryRun) { transaction in
      try await !transaction.query(
        """
        WITH found AS (
          SELECT id FROM notifications WHERE id = \(id) AND user_id = \(person.id)
        ), done AS (
          UPDATE notifications n SET \(identifier: column) = true, updated_at = \(now)
          FROM found WHERE n.id = found.id AND n.\(identifier: column) IS NOT TRUE
        )
        SELECT FROM found
        """
      ).isEmpty
    }
  }

  /// Marks all of a person's entries in an app as read, and sets LockItIn's badge to 0 until there is a new request.
  ///
  /// Many entries take several transactions, one after the other; a repeated call continues the work.
  /// - Returns: how many there were.
  package func markAllRead(in app: App, of person: Person, _ call: EventContext) async throws -> Int {
    if call.dryRun { return try await connection.read(Self.counts(in: app, at: call.now), of: person).unread }
    var (total, isFirst) = (0, true)
    while true {
      let changed = try await connection.change(by: person) { [isFirst] transaction in
        if isFirst {
          let badge = try await transaction.query(.noteAllRead(in: app, of: person, at: call.now)).only()
          // The other apps' badges fall with the rows, and the rows' events push the new number.
          if app.profile.badge == .asked, try badge.decode("was", as: Int.self) > 0 {
            _ = try await transaction.pushBadges(to: [person.id], in: app, call)
          }
        } else {
          _ = try await transaction.query(.lockState(of: [person.id], in: app))
        }
        return try await transaction.query(.markRead(in: app, of: person, limit: chunk, at: call.now)).affectedRows
      }
      total += changed
      isFirst = false
      if changed < chunk { return total }
    }
  }
}
