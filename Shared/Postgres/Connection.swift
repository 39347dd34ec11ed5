/// A connection to a PostgreSQL server, which it opens at first use and again after a loss.
///
/// A silent server also counts as lost. After a silence of one second, the server must answer within four seconds
/// before it gets a request. It must answer a request at most two seconds after the statement's limit.
///
/// Requests of any number of tasks run on the connection's own thread, one after another in their order. A cancelled
/// task stops its statement on the server and ends the session, because a late cancellation could otherwise stop the
/// next statement.
///
/// A session that nobody uses for its idle limit (see ``init``) is closed, so that the server keeps no process for it.
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
  ///   - idleLimit: after this time without a request the session is closed; the next request opens another one. One that
  ///     listens to channels stays. Nil for no limit.
  ///   - parameters: further parameters of every session by their names, such as those of the planner.
  package init(
    url: String, applicationName: String, connectTimeout: Duration = .seconds(5),
    statementTimeout: Duration? = .seconds(30), idleInTransactionTimeout: Duration? = nil, idleLimit: Duration? = nil,
    parameters: [(name: StaticString, value: StaticString)] = []
  ) {
    self.init(
      url: url, applicationName: applicationName,
      Session.Settings(
        connectTimeout: connectTimeout, statementTimeout: statementTimeout,
        idleInTransactionTimeout: idleInTransactionTimeout, parameters: parameters), idleLimit: idleLimit)
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

  private init(url: String, applicationName: String, _ settings: Session.Settings, idleLimit: Duration? = nil) {
    let owner = Owner()
    executor = ThreadExecutor(rest: idleLimit.map { ThreadExecutor.Rest(after: $0) { owner.rest() } })
    (self.url, self.applicationName, self.settings) = (url, applicationName, settings)
    owner.connection = self
  }

  /// Runs tasks on the connection's own thread, so that their requests need not wake it.
  package nonisolated var thread: any TaskExecutor { executor }

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
      executor.expectRest()
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

  /// Closes the session if nobody uses it now.
  fileprivate func rest() {
    guard channels.isEmpty else { return }
    guard turns.holder == nil else { return executor.expectRest() }
    session = nil
  }

  func connectionString() throws(PostgresError) -> ConnectionString {
    try ConnectionString(url, applicationName: applicationName, connectTimeout: settings.connectTimeout)
  }
}

/// Leads from a connection's thread, which is there first, to the connection.
// Written once, before anything can use the connection.
private final class Owner: @unchecked Sendable {
  weak var connection: Connection?

  func rest() {
    guard let connection else { return }
    Task(executorPreference: connection.executor) { await connection.rest() }
  }
}
