package import Postgres

/// The advisory locks of runners, each by the first of its two numbers, as `1000_events.sql` names them.
package enum RunnerLock {
  /// A runner sleeps: the second number is that of a partition.
  package static let sleep: SQL = "7265826"
  /// A runner lives: the second number is the one that its leases have.
  package static let life: SQL = "7265827"
}
