import CPostgres
import Glibc
import Platform

/// One session with the server: the owner of a `PGconn`.
///
/// Not `Sendable`: it lives in its connection's actor.
final class Session {
  private let raw: OpaquePointer
  private let string: ConnectionString
  private let signal: Signal
  private let settings: Settings
  /// The number of this session in its connection, from 1.
  let number: Int
  private var statements = StatementCache()
  /// The limit of the current request.
  private var limit: Limit
  /// Whether the request has sent anything.
  private var hasSent = false
  /// When something last came from the server.
  private var heard = ContinuousClock.now
  /// The `BEGIN` of a transaction, until it goes to the server together with the transaction's first request.
  private var beginning: SQL?
  /// Set if the session's state is unknown; then it must not be used again.
  private var isAbandoned = false
  /// Why the server ends the session, if it has said so while the session was idle.
  private var farewell: String?

  /// Connects, and sets the formats of values.
  init(
    _ string: ConnectionString, settings: Settings, signal: Signal, number: Int = 1
  ) throws(PostgresError) {
    guard let raw = Self.connect(string) else { throw PostgresError(.connection, "There is no memory for it.") }
    self.raw = raw
    self.string = string
    self.signal = signal
    self.settings = settings
    self.number = number
    limit = Limit(after: settings.connectTimeout)
    guard PQstatus(raw) == CONNECTION_OK else {
      let error = lost()
      throw error.with { $0.refusal = Refusal(of: raw, saying: error.message) }
    }
    guard PQsetnonblocking(raw, 1) == 0 else { throw lost() }

    // By default libpq writes the server's notices to stderr, which belongs to the log. An error is a notice, too, if it
    // comes while the session is idle: the server says why it ends the session before it closes the connection. A result
    // that outlives the session has notices, too, but none of them is an error.
    PQsetNoticeReceiver(
      raw,
      { session, notice in
        guard let session, QueryResult.endsSession(notice) else { return }
        Unmanaged<Session>.fromOpaque(session).takeUnretainedValue().hear(farewell: notice)
      }, Unmanaged.passUnretained(self).toOpaque())
    if !string.isPooled { try script(preamble) }
  }

  deinit {
    PQfinish(raw)
  }

  /// The server's host, as libpq names it: a directory for a Unix socket.
  var host: String { PQhost(raw).map { String(cString: $0) } ?? "" }

  /// Whether it leads through a pooler in transaction mode.
  var isPooled: Bool { string.isPooled }

  var isUsable: Bool { !isAbandoned && PQstatus(raw) == CONNECTION_OK }

  var isInTransaction: Bool { beginning != nil || PQtransactionStatus(raw) != PQTRANS_IDLE }

  /// Begins a transaction; the server learns of it with the transaction's first request.
  func beginTransaction(_ statement: SQL) { beginning = statement }

  /// Ends a transaction that the server does not know yet; `false` where it does.
  func forgetBeginning() -> Bool {
    defer { beginning = nil }
    return beginning != nil
  }

  /// Whether the server has ended an idle session.
  ///
  /// Its last messages wait in the socket. It may not have closed the connection yet.
  func hasEnded() -> Bool {
    var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
    while isUsable, poll(&socket, 1, 0) > 0 {
      guard PQconsumeInput(raw) == 1 else { return true }
      // Nothing else makes libpq look at what it has read, and takes no notification.
      _ = PQisBusy(raw)
    }
    return !isUsable
  }

  private func hear(farewell notice: OpaquePointer?) {
    isAbandoned = true
    farewell = PQresultErrorField(notice, shim_diag_message).map { String(cString: $0) }
  }

  /// The error for a lost connection.
  private func lost() -> PostgresError {
    isAbandoned = true
    let message = farewell ?? PQerrorMessage(raw).map { String(cString: $0).oneLine } ?? ""
    return PostgresError(.connection, message.isEmpty ? "The connection was lost." : message, outcomeIsUnknown: hasSent)
  }

  private var preamble: String {
    settings.all.map { "set \($0.name) = '\($0.value)'" }.joined(separator: "; ")
  }

  private static func connect(_ string: ConnectionString) -> OpaquePointer? {
    string.withParameters { PQconnectdbParams($0, $1, 0) }
  }
}

// A request: how long it may take, and how its results come.
extension Session {
  /// Begins a request that may take as long as a number of statements: the server's limit for each, and some more.
  ///
  /// A request that cannot be cancelled has a limit even if the statements have none.
  func begin(statements: Int = 1, isCancellable: Bool = true) {
    let timeout = settings.statementTimeout ?? (isCancellable ? nil : .seconds(60))
    limit = Limit(after: timeout.map { $0 + Settings.grace }, isCancellable: isCancellable)
    limit.extensions = statements - 1
    hasSent = false
  }

  /// Begins to wait for notifications.
  func begin(waitingUpTo duration: Duration) { limit = Limit(after: duration) }

  /// Whether the request's task may end it.
  var isCancellable: Bool { limit.isCancellable }

  /// Whether the server is still there; asks it after a silence.
  ///
  /// A network that fails, or a proxy that stops, may not report it. Then a request would never be answered.
  func answers() -> Bool {
    guard .now - heard > Settings.silence else { return true }
    limit = Limit(after: Settings.probeLimit, isCancellable: false)
    return (try? script("")) != nil
  }

  /// Ends a request with its first failure.
  ///
  /// A cancelled request also ends its session, because the cancellation could still stop the next statement.
  private func finish(_ failure: PostgresError?) throws(PostgresError) {
    if limit.isCancelled {
      isAbandoned = true
      throw PostgresError(.cancelled, "The task was cancelled.", outcomeIsUnknown: failure == nil)
    }
    if let failure { throw failure }
  }

  /// The next result; nil after the last one of a statement.
  private func nextResult() throws(PostgresError) -> QueryResult? {
    try settle { PQisBusy(raw) == 0 }
    guard let result = PQgetResult(raw).map({ QueryResult($0) }) else { return nil }
    if result.isError, !isUsable || result.endsSession {
      isAbandoned = true
      var error = PostgresError(result)
      error.outcomeIsUnknown = hasSent
      throw error
    }
    return result
  }

  /// Sends and reads until a condition holds.
  private func settle(until isSettled: () -> Bool) throws(PostgresError) {
    while true {
      let isSending = PQflush(raw) == 1
      if isSettled() { return }
      switch wait(for: isSending ? POLLIN | POLLOUT : POLLIN) {
      case .ready:
        guard PQconsumeInput(raw) == 1 else { throw lost() }
        heard = .now
      case .signalled where limit.isCancellable && !limit.isCancelled && Task.isCancelled:
        limit.isCancelled = true
        cancel()
      case .signalled: break
      case .late where limit.extensions > 0 && !limit.isCancelled && isServerWorking():
        limit.extensions -= 1
        limit.deadline = settings.statementTimeout.map { .now + $0 + Settings.grace }
        if limit.isCancellable, Task.isCancelled {
          limit.isCancelled = true
          cancel()
        }
      case .late: throw late()
      }
    }
  }

  private enum Wait {
    case ready, signalled, late
  }

  /// Waits for the socket, the signal or the end of the limit.
  private func wait(for events: Int32) -> Wait {
    var descriptors = [
      pollfd(fd: PQsocket(raw), events: Int16(events), revents: 0),
      pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      switch poll(&descriptors, 2, limit.pollTimeout) {
      case 0: return .late
      case 1... where descriptors[0].revents != 0: return .ready
      case 1...:
        signal.lower()
        return .signalled
      default: continue
      }
    }
  }

  private func late() -> PostgresError {
    isAbandoned = true
    if limit.isCancelled { return PostgresError(.cancelled, "The task was cancelled.", outcomeIsUnknown: hasSent) }
    var error = PostgresError(.timedOut, "The server did not answer in time.", outcomeIsUnknown: hasSent)
    error.isOfNetwork = true
    return error
  }

  /// Asks the server to stop the statement, and gives it some time to answer.
  private func cancel() {
    limit.deadline = .now + Settings.grace
    // The thread's alone.
    nonisolated(unsafe) let request = PQgetCancel(raw)
    // PQcancel blocks without limit when the server hangs.
    BackgroundThread.start {
      var message = [CChar](repeating: 0, count: 256)
      PQcancel(request, &message, Int32(message.count))
      PQfreeCancel(request)
    }
  }
}

// Another session's view of this one.
extension Session {
  /// Whether the server still works on the request.
  ///
  /// Another session asks, because this one gets nothing before several statements have ended.
  private func isServerWorking() -> Bool {
    let settings = Settings(
      connectTimeout: .seconds(2), statementTimeout: .seconds(2), idleInTransactionTimeout: nil, parameters: [])
    do throws(PostgresError) {
      let other = try Session(string.with("connect_timeout", "2"), settings: settings, signal: signal)
      other.begin(isCancellable: false)
      let rows = try other.query(
        """
        select from pg_stat_activity
        where pid = \(Int(PQbackendPID(raw))) and state = 'active' and wait_event is distinct from 'ClientRead'
        """)
      // It may have ended just now.
      var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
      return !rows.isEmpty || poll(&socket, 1, 0) > 0
    } catch {
      return false
    }
  }
}

// Statements with parameters.
extension Session {
  /// Runs statements in one round trip and one transaction; the first failure undoes them all.
  ///
  /// A new statement is prepared in the same round trip; behind a pooler none is, and the session's parameters are set
  /// for the transaction alone.
  func pipeline(_ statements: [SQL]) throws(PostgresError) -> [Rows] {
    try pipeline(statements, meanwhile: {}).rows
  }

  /// Runs one statement; its failure needs no index.
  func query(_ sql: SQL) throws(PostgresError) -> Rows {
    do throws(PostgresError) {
      return try pipeline([sql])[0]
    } catch {
      throw error.with { $0.statementIndex = nil }
    }
  }

  /// Runs statements as ``pipeline(_:)`` does, and a body while the server works on them.
  func pipeline<Answer>(
    _ statements: [SQL], meanwhile body: () -> Answer
  ) throws(PostgresError) -> (rows: [Rows], answer: Answer) {
    for (index, sql) in statements.enumerated() {
      guard let problem = sql.problem else { continue }
      var error = PostgresError(.usage, problem)
      error.statementIndex = index
      throw error
    }
    let opening = [beginning, settingsOfTransaction].compactMap(\.self)
    beginning = nil
    if self.statements.isFull {
      try script("deallocate all")
      self.statements.removeAll()
    }

    guard PQenterPipelineMode(raw) == 1 else { throw lost() }
    var plan = Plan()
    for sql in opening + statements { try send(sql, &plan) }
    // It sends as much as the socket takes; the rest goes with the waiting for answers.
    guard PQpipelineSync(raw) == 1 else { throw lost() }
    let answer = body()

    let answers = try receive(plan)
    guard PQexitPipelineMode(raw) == 1 else { throw lost() }
    if answers.failure?.isStalePlan == true { self.statements.removeAll() }
    try finish(answers.failure?.with { $0.statementIndex = $0.statementIndex.map { max(0, $0 - opening.count) } })
    return (Array(answers.rows.dropFirst(opening.count)), answer)
  }

  /// Sends the `BEGIN` by itself, before a request that cannot be part of a pipeline.
  private func beginIfNeeded() throws(PostgresError) {
    if beginning != nil { _ = try pipeline([]) }
  }

  /// The messages that were sent, in their order.
  private struct Plan {
    enum Step {
      case prepare(SQL.Shape, name: String)
      case execute
    }
    var steps: [Step] = []
    var names: [SQL.Shape: String] = [:]
  }

  private func send(_ sql: SQL, _ plan: inout Plan) throws(PostgresError) {
    let shape = SQL.Shape(sql)
    let types = shape.types
    hasSent = true
    guard !isPooled else {
      let isSent = sql.parameters.withArguments {
        PQsendQueryParams(raw, sql.text, $0, types, $1, $2, $3, 0)
      }
      guard isSent == 1 else { throw lost() }
      plan.steps.append(.execute)
      return
    }
    let name: String
    if let known = statements.name(of: shape) ?? plan.names[shape] {
      name = known
    } else {
      name = statements.newName()
      guard PQsendPrepare(raw, name, sql.text, Int32(types.count), types) == 1 else { throw lost() }
      plan.names[shape] = name
      plan.steps.append(.prepare(shape, name: name))
    }
    guard sql.parameters.withArguments({ PQsendQueryPrepared(raw, name, $0, $1, $2, $3, 0) }) == 1 else {
      throw lost()
    }
    plan.steps.append(.execute)
  }

  private func receive(_ plan: Plan) throws(PostgresError) -> (rows: [Rows], failure: PostgresError?) {
    var rows: [Rows] = []
    var failure: PostgresError?
    for step in plan.steps {
      while let result = try nextResult() {
        switch (result.status, step) {
        case (PGRES_COMMAND_OK, .prepare(let shape, let name)): statements.insert(shape, name: name)
        case (PGRES_TUPLES_OK, .execute), (PGRES_COMMAND_OK, .execute), (PGRES_EMPTY_QUERY, .execute):
          rows.append(Rows(result))
        case (PGRES_PIPELINE_ABORTED, _): break
        case _ where result.isError && failure == nil:
          failure = PostgresError(result)
          failure?.statementIndex = rows.count
        default:
          isAbandoned = true
          throw PostgresError(.usage, "COPY has its own call.", outcomeIsUnknown: true)
        }
      }
    }
    // The answer to the only synchronisation: the server has committed or rolled back.
    guard try nextResult()?.status == PGRES_PIPELINE_SYNC else { throw lost() }
    return (rows, failure)
  }
}

// Statements without parameters.
extension Session {
  /// Runs any number of statements without parameters; those outside of `BEGIN … COMMIT` are one transaction.
  func script(_ text: String) throws(PostgresError) {
    guard !text.containsNUL else { throw PostgresError(.usage, "SQL text cannot hold U+0000.") }
    try beginIfNeeded()
    hasSent = true
    let (text, added) = withSettings(text)
    guard PQsendQuery(raw, text) == 1 else { throw lost() }

    var failure: PostgresError?
    var finished = -added
    while let result = try nextResult() {
      switch result.status {
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
        isAbandoned = true
        throw PostgresError(.usage, "COPY has its own call.", outcomeIsUnknown: true)
      case _ where result.isError:
        failure = PostgresError(result, of: text)
        failure?.statementIndex = max(0, finished)
      default: finished += 1
      }
    }
    try finish(failure)
  }
}

// Rows.
extension Session {
  /// Sends rows to a `COPY … FROM STDIN` in the text format; returns how many the server took.
  func copy(_ command: String, _ rows: some Sequence<[String?]>) throws(PostgresError) -> Int {
    try beginIfNeeded()
    hasSent = true
    let (text, added) = withSettings(command)
    guard PQsendQuery(raw, text) == 1 else { throw lost() }
    guard var opening = try nextResult() else { throw lost() }
    if added > 0, !opening.isError {
      guard let next = try nextResult() else { throw lost() }
      opening = next
    }
    if opening.status == PGRES_COPY_IN {
      var chunk: [CChar] = []
      for row in rows {
        chunk += row.copyLine
        if chunk.count >= Self.chunkSize { try put(&chunk) }
      }
      try put(&chunk)
      guard PQputCopyEnd(raw, nil) == 1 else { throw lost() }
    }

    var failure = opening.isError ? PostgresError(opening, of: text) : nil
    var count = 0
    while let result = try nextResult() {
      if result.isError {
        failure = PostgresError(result)
      } else {
        count = Rows(result).affectedRows
      }
    }
    try finish(failure)
    return count
  }

  private static let chunkSize = 65_536

  /// Sends a chunk at once; otherwise libpq would keep all of them in memory.
  private func put(_ chunk: inout [CChar]) throws(PostgresError) {
    guard PQputCopyData(raw, chunk, Int32(truncatingIfNeeded: chunk.count)) == 1 else { throw lost() }
    chunk.removeAll(keepingCapacity: true)
    try settle { PQflush(raw) <= 0 }
  }
}

// Notifications.
extension Session {
  /// The notifications that have come; waits for the first until the limit or a wake-up.
  func notifications() throws(PostgresError) -> [Notification] {
    while true {
      guard PQconsumeInput(raw) == 1, isUsable else { throw lost() }
      let received = received()
      guard !received.isEmpty || isUsable else { throw lost() }
      if !received.isEmpty { heard = .now }
      if !received.isEmpty || signal.takeWakeUp() { return received }
      if wait(for: POLLIN) == .late { return [] }
      if Task.isCancelled { throw .cancelled }
    }
  }

  private func received() -> [Notification] {
    var received: [Notification] = []
    while let notification = PQnotifies(raw) {
      received.append(
        Notification(
          channel: String(cString: notification.pointee.relname), payload: String(cString: notification.pointee.extra),
          processID: notification.pointee.be_pid))
      PQfreemem(notification)
    }
    return received
  }
}

// Behind a pooler in transaction mode each transaction may run in another session of the server, which other clients
// have left as they liked: nothing can be prepared, and every transaction sets its own parameters.
extension Session {
  /// The statement that sets the parameters of a transaction that begins now; `nil` where the session keeps them.
  private var settingsOfTransaction: SQL? { setsOfTransaction.map { SQL(unescaped: $0) } }

  /// The text of a request that may be a transaction by itself, with what sets its parameters.
  private func withSettings(_ text: String) -> (text: String, added: Int) {
    guard !text.isEmpty, let sets = setsOfTransaction else { return (text, 0) }
    return ("\(sets); \(text)", 1)
  }

  private var setsOfTransaction: String? {
    guard isPooled, PQtransactionStatus(raw) == PQTRANS_IDLE else { return nil }
    return "select " + settings.all.map { "set_config('\($0.name)', '\($0.value)', true)" }.joined(separator: ", ")
  }
}
