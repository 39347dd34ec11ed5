package import FunctionKit
import Notifications
package import Postgres

extension Connection {
  /// The parameters of sessions that run the same statements again and again, each for few rows.
  ///
  /// Planning a statement would take longer than running it. A plan from small tables has to work when they have grown.
  package static let plansOnce: [(name: StaticString, value: StaticString)] = [
    ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"),
  ]

  /// A function's connection to the database that its environment names; it connects at the first use, and at the next
  /// one after it was closed because nothing came for 20 seconds.
  ///
  /// If the server stops answering, the function has time to report it (exit 75) before its own time limit ends the
  /// process; the runner passes it this limit. The locks of a lost session are released soon after. No plan is worth
  /// compiling.
  ///
  /// - Parameters:
  ///   - name: what `pg_stat_activity` shows.
  ///   - statementTimeout: the limit of a statement, if the function's own time limit leaves room for it.
  ///   - givesWay: whether it gives up when it waits for a lock, as background work does.
  package init(
    _ environment: Environment, name: String, statementTimeout: Duration = .seconds(8),
    givesWay: Bool = false, parameters: [(name: StaticString, value: StaticString)] = []
  ) throws(FunctionError) {
    Texts.add(of: environment)
    let room = environment.timeLimit.map { max(0.5, $0 * 0.8 - 2) } ?? .infinity
    self.init(
      url: try environment.databaseURL(), applicationName: name,
      statementTimeout: room.isFinite ? min(statementTimeout, .seconds(room)) : statementTimeout,
      idleInTransactionTimeout: .seconds(10), idleLimit: .seconds(20),
      parameters: [("jit", "off")] + parameters + (givesWay ? [GivingWay.parameter] : []))
  }
}
