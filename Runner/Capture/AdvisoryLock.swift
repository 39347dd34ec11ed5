package import Postgres

/// The advisory locks of runners, each by the first of its two numbers.
///
/// The functions of the runner's schema name the same numbers: `1000_events.sql` says what they are for.
package enum AdvisoryLock {
  /// Second number 0: the schema is being changed; 1: indexes are being built, or a runner joins a group.
  package static let change: SQL = "7265825"
  /// A runner sleeps: commits notify it of the partition, or of the function, that is the second number.
  package static let sleep: SQL = "7265826"
  /// A runner lives: the second number is the one that its leases have.
  package static let life: SQL = "7265827"
}
