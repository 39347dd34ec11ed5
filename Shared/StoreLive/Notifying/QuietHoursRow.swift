import FunctionKit
package import Notifications
package import Postgres

extension QuietHours {
  /// The columns from which ``init(_:in:)`` reads, of a person's preferences `s`.
  ///
  /// They are `is_quiet, quiet_start, quiet_end, quiet_days`. The hours are in minutes of the local day; `24:00` is
  /// midnight.
  package static let columns: SQL = """
    s.quiet_hours_enabled AS is_quiet, extract(epoch FROM s.quiet_hours_start)::integer / 60 % 1440 AS quiet_start,
    extract(epoch FROM s.quiet_hours_end)::integer / 60 % 1440 AS quiet_end, s.quiet_hours_days::text AS quiet_days
    """

  /// A person's quiet hours; `nil` if they are off.
  /// - Parameter timeZone: the person's zone.
  package init?(_ row: Row, in timeZone: String?) throws(PostgresError) {
    guard try row.optional("is_quiet") == true else { return nil }
    self.init(
      startMinute: try row.optional("quiet_start"), endMinute: try row.optional("quiet_end"),
      days: Self.days(row["quiet_days"]), timeZone: timeZone)
  }

  /// The weekdays with hours of their own, from the JSON of `quiet_hours_days`; what is not as it must be is left out.
  package static func days(_ json: String?) -> [Weekday: Span] {
    guard let json else { return [:] }
    let days = RawJSON(trusting: Array(json.utf8)).members.compactMap { member -> (Weekday, Span)? in
      guard let weekday = Weekday(rawValue: member.name), member.value.kind == .object,
        let start = minute(member.value["start"]), let end = minute(member.value["end"])
      else { return nil }
      return (weekday, Span(startMinute: start, endMinute: end))
    }
    return Dictionary(days) { $1 }
  }

  /// The minutes after midnight of `HH:MM`.
  private static func minute(_ time: RawJSON?) -> Int? {
    guard let parts = time?.stringValue?.split(separator: ":"), parts.count == 2, let hour = Int(parts[0]),
      let minute = Int(parts[1])
    else { return nil }
    return hour * 60 + minute
  }
}
