import CPostgres

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
  fileprivate let executor: ThreadExecutor
  private let url: String
  private let applicationName: String
  private let settings: Session.Settings
  private let signal = Signal()
  private let turns = TurnQueue()
  private var session: Session?
  private var sessions = 0
  private var channels: [String] = []
  /// The turn whose transaction is committed while its body still runs.
  private var committed: Turn?
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
  package nonisolated var thread: any TaskExecutor { executor.tasks }

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
  private func opened() throws(PostgresError) -> Session {
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

  /// The host of the session, as libpq names it: a directory for a Unix socket.
  package func host() async throws(PostgresError) -> String {
    try await perform { session throws(PostgresError) in session.host }
  }

  /// Whether a server is there.
  ///
  /// It may still refuse this client.
  package enum ServerState: Sendable {
    /// It takes connections.
    case up
    /// It is there but takes none now: it starts, stops or recovers.
    case rejecting
    /// Nothing answers.
    case silent
  }

  /// Asks the server in a connection of its own, which needs no right and no password.
  ///
  /// The server's words would not tell: they come in its own language.
  package func serverState() throws(PostgresError) -> ServerState {
    let string = try connectionString()
    return switch string.withParameters({ PQpingParams($0, $1, 0) }) {
    case PQPING_OK: .up
    case PQPING_REJECT: .rejecting
    default: .silent
    }
  }

  /// Whether a URL says that it leads through a pooler in transaction mode.
  package static func expectsPooler(at url: String) -> Bool { ConnectionString.takingPooling(from: url).isPooled }
}

// Requests.
extension Connection {
  /// The state in which a request leaves the session when it succeeds.
  fileprivate enum Aftermath {
    case noTransaction, transaction
    /// No transaction. If a statement before the commit fails, the transaction is rolled back.
    case commit
  }

  private var isInOwnTransaction: Bool { turns.holder.map { Turn.held.contains($0) } ?? false }

  /// Runs a request outside of any transaction, in its turn and in an open session.
  func perform<Answer>(
    statements: Int = 1, _ request: (Session) throws(PostgresError) -> Answer
  ) async throws(PostgresError) -> Answer {
    let turn = try await takeTurn()
    defer { turns.end(turn) }
    let session = try opened()
    session.begin(statements: statements)
    return try await carryOut(request, in: session, leaving: .noTransaction)
  }

  /// Runs a request inside the transaction that holds the turn.
  func perform<Answer>(
    statements: Int = 1, in turn: Turn, _ request: (Session) throws(PostgresError) -> Answer
  ) async throws(PostgresError) -> Answer {
    let session = try session(of: turn)
    session.begin(statements: statements)
    do throws(PostgresError) {
      return try await carryOut(request, in: session, leaving: .transaction)
    } catch {
      // A transaction that can no longer be committed has changed nothing.
      throw error.with { $0.outcomeIsUnknown = false }
    }
  }

  private func takeTurn() async throws(PostgresError) -> Turn {
    guard !isInOwnTransaction else {
      throw PostgresError(.usage, "Inside a transaction, statements go through its own value.")
    }
    guard let turn = await turns.take() else { throw .cancelled }
    return turn
  }

  private func session(of turn: Turn) throws(PostgresError) -> Session {
    guard turns.holder == turn, committed != turn else { throw PostgresError(.usage, "The transaction has ended.") }
    guard let session, session.isUsable else {
      throw PostgresError(.connection, "The connection was lost earlier in the transaction.")
    }
    return session
  }

  /// Runs a request on the connection's thread, without a point where another request could run.
  private func carryOut<Answer>(
    _ request: (Session) throws(PostgresError) -> Answer, in session: Session, leaving aftermath: Aftermath
  ) async throws(PostgresError) -> Answer {
    if session.isCancellable, Task.isCancelled { throw .cancelled }
    let answer = await withTaskCancellationHandler {
      attempt(request, in: session)
    } onCancel: {
      signal.raise()
    }

    guard session.isUsable else {
      self.session = nil
      return try answer.get()
    }
    guard aftermath.allows(isInTransaction: session.isInTransaction, after: answer) else {
      self.session = nil
      _ = try answer.get()
      throw PostgresError(.usage, "Transactions are begun and ended by transaction(), not by statements.")
    }
    return try answer.get()
  }

  /// A method of the actor, because a closure that does not use the actor runs on a thread of the shared pool.
  private func attempt<Answer>(
    _ request: (Session) throws(PostgresError) -> Answer, in session: Session
  ) -> Result<Answer, PostgresError> {
    Result { () throws(PostgresError) in try request(session) }
  }
}

// Transactions.
extension Connection {
  /// Runs a body between `BEGIN` and `COMMIT`; an error that the body throws rolls back and is thrown on.
  ///
  /// From beginning to end the connection belongs to the body: other tasks' requests wait, and the body's own go
  /// through the value it is given. Parts of the body that belong to no actor run on the connection's thread, so that
  /// no request waits for two threads to wake each other: while another task carries out one of the body's requests,
  /// the body stands still.
  ///
  /// - Throws: what the body throws, or ``PostgresError``; ``PostgresError/Code/commitUnknown`` when the answer to the
  ///   commit was lost.
  package nonisolated func transaction<Answer>(
    _ isolation: Transaction.Isolation = .readCommitted, readOnly: Bool = false,
    _ body: (Transaction) async throws -> Answer
  ) async throws -> Answer {
    let turn = try await begin(isolation, readOnly: readOnly)
    let answer: Answer
    do {
      answer = try await Turn.$held.withValue(Turn.held + [turn]) {
        try await withTaskExecutorPreference(thread) {
          try await body(Transaction(connection: self, turn: turn))
        }
      }
    } catch {
      await rollBack(turn)
      throw error
    }
    try await commit(turn)
    return answer
  }

  /// Takes the turn; the server learns of the transaction with its first request.
  private func begin(_ isolation: Transaction.Isolation, readOnly: Bool) async throws(PostgresError) -> Turn {
    let turn = try await takeTurn()
    do throws(PostgresError) {
      try opened().beginTransaction(
        SQL(unescaped: "begin isolation level \(isolation.rawValue), \(readOnly ? "read only" : "read write")"))
      return turn
    } catch {
      turns.end(turn)
      throw error
    }
  }

  private func commit(_ turn: Turn) async throws(PostgresError) {
    defer { turns.end(turn) }
    guard committed != turn else { return }
    let session = try session(of: turn)
    if session.forgetBeginning() { return }
    session.begin(isCancellable: false)
    do throws(PostgresError) {
      _ = try await commit(after: [], in: session)
    } catch {
      // The server rolls back when the session ends.
      if session.isInTransaction { self.session = nil }
      throw error
    }
  }

  /// Commits the transaction that holds the turn together with its last statements.
  func commit(after statements: [SQL], in turn: Turn) async throws(PostgresError) -> [Rows] {
    let session = try session(of: turn)
    session.begin(statements: statements.count + 1)
    let rows = try await commit(after: statements, in: session)
    committed = turn
    return rows
  }

  private func commit(after statements: [SQL], in session: Session) async throws(PostgresError) -> [Rows] {
    let rows: [Rows]
    do throws(PostgresError) {
      rows = try await carryOut(
        { session throws(PostgresError) in try session.pipeline(statements + ["commit"]) }, in: session,
        leaving: .commit)
    } catch {
      throw error.asCommit
    }
    // If a statement failed and the body went on, the server answers COMMIT with a rollback.
    if rows.last?.result.tag == "ROLLBACK" {
      var error = PostgresError(.sqlState("25P02"), "A statement had failed, so the transaction was rolled back.")
      error.sqlState = "25P02"
      throw error
    }
    return rows.dropLast()
  }

  private func rollBack(_ turn: Turn) async {
    defer { turns.end(turn) }
    guard let session = try? session(of: turn), session.isInTransaction else { return }
    if session.forgetBeginning() { return }
    session.begin(isCancellable: false)
    do {
      try await carryOut(
        { session throws(PostgresError) in try session.script("rollback") }, in: session, leaving: .noTransaction)
    } catch {
      // The server rolls back when the session ends.
      self.session = nil
    }
  }
}

// Notifications.
extension Connection {
  /// Asks for the notifications of a channel, in this session and in every one after a loss.
  package func listen(_ channel: String) async throws(PostgresError) {
    try await perform { session throws(PostgresError) in
      guard !session.isPooled else {
        throw PostgresError(.usage, "A pooler in transaction mode keeps no session that could LISTEN.")
      }
      try session.script(SQL("listen \(identifier: channel)").text)
    }
    if !channels.contains(channel) { channels.append(channel) }
  }

  /// Waits for notifications for a limited time.
  ///
  /// Nothing else runs on this connection during that time.
  ///
  /// Returns an empty list if none came, and also, at once, after it had to open a new session. Then notifications may
  /// be lost, and the caller must look for itself. This is also so after ``PostgresError/Code/connection``.
  package func notifications(waitingUpTo duration: Duration) async throws(PostgresError) -> [Notification] {
    let turn = try await takeTurn()
    defer { turns.end(turn) }
    let known = session
    let session = try opened()
    guard session === known else { return [] }
    session.begin(waitingUpTo: duration)
    return try await carryOut(
      { session throws(PostgresError) in try session.notifications() }, in: session, leaving: .noTransaction)
  }

  /// Ends the current wait for notifications, or else the next one, from any thread.
  package nonisolated func wake() {
    signal.wake()
  }
}

extension Connection.Aftermath {
  fileprivate func allows(isInTransaction: Bool, after answer: Result<some Any, PostgresError>) -> Bool {
    switch (self, answer) {
    case (.noTransaction, _), (.commit, .success): !isInTransaction
    case (.transaction, _): isInTransaction
    case (.commit, .failure): true
    }
  }
}

/// Leads from a connection's thread, which is there first, to the connection.
// Written once, before anything can use the connection.
private final class Owner: @unchecked Sendable {
  weak var connection: Connection?

  func rest() {
    guard let connection else { return }
    Task(executorPreference: connection.thread) { await connection.rest() }
  }
}

/// A message that a session sent with `NOTIFY`.
package struct Notification: Hashable, Sendable {
  package let channel: String
  /// At most 7,999 bytes; empty if the sender gave none.
  package let payload: String
  /// The server process of the session that notified.
  package let processID: Int32
}
