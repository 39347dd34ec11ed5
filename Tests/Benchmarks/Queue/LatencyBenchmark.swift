import FunctionKit
import Postgres
import TestSupport

/// From COMMIT to the start of the function, one event at a time with pauses between.
///
/// It is compared with a mere listener, which a trigger tells by NOTIFY.
///
/// The start is the function's first statement, after it has read its event; the listener's time is taken when libpq
/// has handed it the signal.
struct LatencyBenchmark {
  let effort: Effort

  private static let warmUp = 50
  private static let tables = """
    \(Orders.table()) \(Orders.table("calls"))
    CREATE FUNCTION call() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_notify('calls', NEW.id::text);
      RETURN NULL;
    END $$;
    CREATE TRIGGER call AFTER INSERT ON calls FOR EACH ROW EXECUTE FUNCTION call();
    """

  /// One commit, by ``Stamp/nanoseconds()``.
  private struct Commit {
    var row: Int64 = 0
    /// Right before it was sent.
    var sent: Int64 = 0
    /// Right after its answer.
    var returned: Int64 = 0
  }

  /// The two ways to look at a start, in milliseconds.
  private struct Times {
    var sinceSent: [Double] = []
    var sinceReturned: [Double] = []

    mutating func add(_ start: Int64, _ commit: Commit) {
      sinceSent.append(Double(start - commit.sent) / 1e6)
      sinceReturned.append(Double(start - commit.returned) / 1e6)
    }
  }

  func findings() async throws -> [Finding] {
    try await LocalCluster.with { cluster in
      let project = try await QueueProject(
        cluster, manifest: Orders.manifest(#""executable": "\#(Stamp.name)""#), tables: Self.tables)
      let runner = try await project.start()
      let (commits, listener) = try await connected(to: project.databaseURL) { writer in
        try await connected(to: project.databaseURL) { try await measure(writer, listener: $0) }
      }
      try await project.waitUntilEmpty()
      try await runner.stop()

      let starts = Dictionary(try project.stamps().map { ($0.row, $0.time) }) { first, _ in first }
      var function = Times()
      for commit in commits.dropFirst(Self.warmUp) {
        guard let start = starts[commit.row] else { throw BenchmarkError("The event of row \(commit.row) is missing.") }
        function.add(start, commit)
      }
      return Self.findings(
        "start of the function", function, limits: [.p50Below(3), .p99Below(10)], goal: .p50Below(1.5))
        + Self.findings("a bare listener", listener)
    }
  }

  private static func findings(
    _ end: String, _ times: Times, limits: [Limit] = [], goal: Limit? = nil
  ) -> [Finding] {
    let (sent, returned) = (Samples(times.sinceSent), Samples(times.sinceReturned))
    return [
      Finding(
        what: "latency: COMMIT returned to \(end)", p50: returned.p50, p99: returned.p99, limits: limits, goal: goal),
      Finding(what: "latency: COMMIT sent to \(end)", p50: sent.p50, p99: sent.p99),
    ]
  }

  /// Commits to both tables in turn; the captured commits, and what the listener took.
  private func measure(_ writer: Connection, listener: Connection) async throws -> ([Commit], Times) {
    try await listener.listen("calls")
    var commits: [Commit] = []
    var heard = Times()
    for round in 0..<Self.warmUp + effort.choose(quick: 50, normal: 500, long: 3_000) {
      try await Self.pause()
      commits.append(try await Self.commit("orders", writer))
      try await Self.pause()
      async let start = Self.nextSignal(listener)
      let commit = try await Self.commit("calls", writer)
      let time = try await start
      if round >= Self.warmUp { heard.add(time, commit) }
    }
    return (commits, heard)
  }

  private static func pause() async throws {
    try await Task.sleep(for: .microseconds(.random(in: 10_000...20_000)))
  }

  private static func commit(_ table: String, _ writer: Connection) async throws -> Commit {
    var commit = Commit()
    try await writer.transaction { transaction in
      commit.row = try await transaction.query(
        """
        INSERT INTO \(identifier: table) (customer, status, total, note)
        VALUES (floor(random() * \(Orders.customers)), 'open', 12.34, 'one of many') RETURNING id
        """
      ).only().decode("id")
      commit.sent = Stamp.nanoseconds()
    }
    commit.returned = Stamp.nanoseconds()
    return commit
  }

  private static func nextSignal(_ listener: Connection) async throws -> Int64 {
    let signals = try await listener.notifications(waitingUpTo: .seconds(10))
    let time = Stamp.nanoseconds()
    guard signals.count == 1 else { throw BenchmarkError("The listener heard \(signals.count) signals.") }
    return time
  }
}
