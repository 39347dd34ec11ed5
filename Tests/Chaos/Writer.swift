import Postgres
import Synchronization
import TestSupport

/// The state that writers share: whether they go on, and what was refused.
final class WritersState: Sendable {
  private let isStopping = Atomic(false)
  private let errors = Mutex<[String: Int]>([:])

  var goesOn: Bool { !isStopping.load(ordering: .relaxed) }

  /// How often each SQLSTATE has come, or another code where there was none.
  var failures: [String: Int] { errors.withLock { $0 } }

  func stop() { isStopping.store(true, ordering: .relaxed) }

  func note(_ error: PostgresError) { errors.withLock { $0[error.sqlState ?? "\(error.code)", default: 0] += 1 } }
}

/// Commits, rolls back and prepares transaction after transaction, each drawn from the writer's own series.
struct Writer {
  private let connection: Connection
  private let state: WritersState
  private var transactions: Transactions
  private var series: SplitMix
  private let pauses: ClosedRange<Int>
  /// Prepared transactions with what becomes of them, and when.
  private var prepared: [(id: String, at: ContinuousClock.Instant)] = []

  /// - Parameter number: from 1.
  init(_ number: Int, _ plan: Plan, url: String, prepares: Bool, _ state: WritersState) {
    connection = Connection(url: url, applicationName: "chaos writer", connectTimeout: .seconds(2))
    self.state = state
    series = SplitMix(seed: plan.seed ^ UInt64(plan.number) << 32 ^ UInt64(number) << 48)
    transactions = Transactions(writer: number, prepares: prepares)
    pauses = plan.writers > 5 ? 50...800 : 20...300
  }

  /// Writes until the state says stop, and leaves what is prepared by then to ``settlePrepared(_:)``.
  mutating func run() async {
    while state.goesOn {
      let transaction = transactions.next(&series)
      let (pause, delay) = (Int.random(in: pauses, using: &series), Int.random(in: 200...4_000, using: &series))
      do throws(PostgresError) {
        try await connection.script(transaction.text)
        if let id = transaction.prepared { prepared.append((id, .now + .milliseconds(delay))) }
      } catch {
        state.note(error)
      }
      await settleDue()
      try? await Task.sleep(for: .milliseconds(pause))
    }
    await connection.close()
  }

  private mutating func settleDue() async {
    for (id, at) in prepared where at < .now {
      // A transaction that fails here is settled at the end.
      try? await connection.script(Transactions.settling(id))
      prepared.removeAll { $0.id == id }
    }
  }

  /// Ends all transactions that are still prepared, each as its name says.
  static func settlePrepared(_ database: Connection) async throws {
    for id in try await database.query("SELECT gid FROM pg_prepared_xacts").decode("gid", as: String.self) {
      try await database.script(Transactions.settling(id))
    }
  }
}
