/// The clock changes of one IANA time zone, from its first known one to the far future.
///
/// Instants are seconds since 1970-01-01T00:00:00Z without leap seconds. They come from the compiled zone files that
/// Debian's package tzdata installs below `/usr/share/zoneinfo`, or below `TZDIR`. An instant more than 100 million
/// days from 1970 counts as the last one within them.
package struct TimeZoneRules: Sendable {
  /// The name it was made from, such as `Europe/Berlin`.
  package let identifier: String

  let transitions: [Int64]
  let settingIndices: [Int]
  let settings: [ZoneFile.Setting]
  let footer: PosixZone?

  /// Coordinated Universal Time.
  ///
  /// It needs no zone file.
  package static let utc = Self(utc: "UTC")

  /// Reads the rules of a zone by its name, old names such as `US/Eastern` included.
  ///
  /// Names are case-sensitive. `UTC` and `Etc/UTC` need no database.
  package init(identifier: String) throws(UnknownTimeZone) {
    try self.init(identifier: identifier, database: .system)
  }

  /// Reads the rules of a zone by its name in any case, as PostgreSQL does: `europe/berlin` is `Europe/Berlin`.
  package init(anyCase name: String) throws(UnknownTimeZone) {
    try self.init(anyCase: name, database: .system)
  }

  init(anyCase name: String, database: ZoneDatabase) throws(UnknownTimeZone) {
    do {
      try self.init(identifier: name, database: database)
    } catch {
      guard case .notFound = error.reason, let identifier = database.name(inAnyCase: name) else { throw error }
      try self.init(identifier: identifier, database: database)
    }
  }

  init(identifier: String, database: ZoneDatabase) throws(UnknownTimeZone) {
    if identifier == "UTC" || identifier == "Etc/UTC" {
      self.init(utc: identifier)
      return
    }
    let bytes = try database.contents(of: identifier)
    do {
      self.init(identifier: identifier, file: try ZoneFile(bytes))
    } catch {
      throw UnknownTimeZone(identifier: identifier, reason: .unreadable(error.reason))
    }
  }

  init(identifier: String, file: ZoneFile) {
    self.identifier = identifier
    transitions = file.transitions
    settingIndices = file.settingIndices
    settings = file.settings
    footer = file.footer
  }

  private init(utc identifier: String) {
    self.identifier = identifier
    transitions = []
    settingIndices = []
    settings = [.init(offset: 0, abbreviation: "UTC")]
    footer = nil
  }
}
