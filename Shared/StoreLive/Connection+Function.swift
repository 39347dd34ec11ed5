public import FunctionKit
public import Postgres

extension Connection {
  /// A function's connection to the database that its environment names; nothing is connected before the first use.
  ///
  /// When the server falls silent, the function has time left to say so (exit 75), before its own time limit, which the
  /// runner tells it, ends the whole process. What a lost session has locked comes free soon after.
  ///
  /// - Parameters:
  ///   - name: what `pg_stat_activity` shows.
  ///   - statementTimeout: the limit of a statement, where the function's own time limit leaves room for it.
  ///   - givesWay: whether it gives up when it waits for a lock, as work in the background does before the app's own.
  public init(
    _ environment: Environment, name: String, statementTimeout: Duration = .seconds(8),
    givesWay: Bool = false, parameters: [(name: StaticString, value: StaticString)] = []
  ) throws(FunctionError) {
    let room = environment["PUSH_FUNCTION_TIMEOUT"].flatMap(Double.init).map { max(0.5, $0 * 0.8 - 2) } ?? .infinity
    self.init(
      url: try environment.databaseURL(), applicationName: name,
      statementTimeout: room.isFinite ? min(statementTimeout, .seconds(room)) : statementTimeout,
      idleInTransactionTimeout: .seconds(10), parameters: parameters + (givesWay ? [GivingWay.parameter] : []))
  }
}
