/// A time zone that has no rules here.
package struct UnknownTimeZone: Error, Hashable, CustomStringConvertible {
  /// Why there are none.
  package enum Reason: Sendable, Hashable {
    /// The text cannot be the name of a zone.
    case malformedName
    /// The database at this path does not have the zone.
    case notFound(database: String)
    /// There is no database at this path.
    case databaseMissing(path: String)
    /// The zone's file cannot be read or is not a zone file.
    case unreadable(String)
  }

  /// The name as it was given.
  package let identifier: String
  /// What is wrong with it.
  package let reason: Reason

  /// One or two sentences for the person who wrote the name.
  package var description: String {
    switch reason {
    case .malformedName:
      #""\#(identifier)" cannot be a time zone; names look like "Europe/Berlin" or "UTC"."#
    case .notFound(let database):
      #"There is no time zone "\#(identifier)" in \#(database). Names are case-sensitive, like "Europe/Berlin"; "#
        + #"old ones, like "US/Eastern", are in the package tzdata-legacy from Debian 13 on."#
    case .databaseMissing(let path):
      #"The rules of time zone "\#(identifier)" are missing: there is no \#(path). Install the package tzdata."#
    case .unreadable(let detail):
      #"The rules of time zone "\#(identifier)" cannot be read: \#(detail)."#
    }
  }
}
