/// A connection to a PostgreSQL server, which it opens at first use and again after a loss.
///
/// A silent server also counts as lost. After a silence of one second, the server must answer within four seconds
/// before it gets a request. It must answer a request at most two seconds after the statement's limit.
///
/// Requests of any number of tasks run on the connection's own thread, one after another in their order. A cancelled
/// task stops its statement on the server and ends the session, because a late cancellation could otherwise stop the
/// next statement.
package actor Connection {
  let executor: ThreadExecutor
  private let url: String
  private let applicationName: String
  private let settings: Session.Settings
  let signal = Signal()
  let turns = TurnQueue()
  var session: Session?
  private var sessions = 0
  var channels: [String] = []
  /// The turn whose transaction is committed while its body still runs.
  var committed: Turn?
  private var isClosed = false

  /// Creates a connection without opening it.
  ///
  /// - Parameters:
  ///   - url: a `postgres://` URI or a libpq `keyword=value` string, which may override the timeouts of the network.
  ///     With `pgbouncer=true` it leads through a pooler in transaction mode: nothing is prepared, and each transaction
  ///     sets its parameters itself.
  ///   - applicationName: what `pg_stat_activity` shows.
  ///   - connectTimeout: the limit for each host, in whole seconds and at least two.
  ///   - statementTimeout: the server's limit for each statement; nil leaves the server's own.
  ///   - idleInTransactionTimeout: after this time the server ends a session whose transaction waits for its client.
  ///   - parameters: further parameters of every session by their names, such as those of the planner.
  package init(
    url: String, applicationName: String, connectTimeout: Duration = .seconds(5),
    statementTimeout: Duration? = .seconds(30), idleInTransactionTimeout: Duration? = nil,
    parameters: [(name: StaticString, value: StaticString)] = []
  ) {
    self.init(
      url: url, applicationName: applicationName,
      Session.Settings(
        connectTimeout: connectTimeout, statementTimeout: statementTimeout,
        idleInTransactionTimeout: idleInTransactionTimeout, parameters: parameters))
  }

  /// Another connection to the same server, with the same parameters and other limits, which listens to no channel.
  package nonisolated func another(
    statementTimeout: Duration?, idleInTransactionTimeout: Duration? = nil
  ) -> Connection {
    Connection(
      url: url, applicationName: applicationName,
      Session.Settings(
        connectTimeout: settings.connectTimeout, statementTimeout: statementTimeout,
        idleInTransactionTimeout: idleInTransactionTimeout, parameters: settings.parameters))
  }

  private init(url: String, applicationName: String, _ settings: Session.Settings) {
    (executor, self.url, self.applicationName, self.settings) = (ThreadExecutor(), url, applicationName, settings)
  }

  deinit {
    executor.stop()
  }

  /// The connection's own thread.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Closes the session after the requests before it.
  ///
  /// Every later use throws ``PostgresError/Code/usage``.
  ///
  /// It does not wait for them if the task is cancelled, or holds a transaction of this connection.
  package func close() async {
    let turn = isInOwnTransaction ? nil : await turns.take()
    isClosed = true
    session = nil
    if let turn { turns.end(turn) }
  }

  /// The open session; opens one when there is none or the server has closed it.
  func opened() throws(PostgresError) -> Session {
    guard !isClosed else { throw PostgresError(.usage, "The connection has been closed.") }
    if let session, !session.hasEnded(), session.answers() { return session }
    session = nil
    do throws(PostgresError) {
      let opened = try Session(connectionString(), settings: settings, signal: signal, number: sessions + 1)
      sessions += 1
      for channel in channels { try opened.script(SQL("listen \(identifier: channel)").text) }
      session = opened
      return opened
    } catch {
      // Nothing of the request was sent yet.
      throw error.with {
        $0.outcomeIsUnknown = false
        if $0.code == .timedOut { $0.code = .connection }
        if $0.code == .connection { $0.isOfNetwork = true }
      }
    }
  }

  func connectionString() throws(PostgresError) -> ConnectionString {
    try ConnectionString(url, applicationName: applicationName, connectTimeout: settings.connectTimeout)
  }
}
