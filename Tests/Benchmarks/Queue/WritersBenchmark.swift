import FunctionKit
import Postgres
import TestSupport

/// Eight writers that commit single rows: without capture, with capture while no runner is up, and while one drains.
///
/// Beside them a trigger that somebody writes by hand puts each row into a table as JSON, and nothing more.
///
/// The no-op is ``Stamp``, so that afterwards every committed row can be looked for among the events that started.
struct WritersBenchmark {
  let effort: Effort

  private static let manifest = Orders.manifest(#""executable": "\#(Stamp.name)""#)
  private static let plain = "plain_orders"
  private static let byHand = "outbox_orders"

  func findings() async throws -> [Finding] {
    try await LocalCluster.with { cluster in
      let project = try await QueueProject(
        cluster, manifest: Self.manifest, tables: Orders.table() + Orders.table(Self.plain) + Self.outbox)
      let bench = try await PgBench(database: project.databaseURL)
      let seconds = effort.choose(quick: 2, normal: 10, long: 60)
      var rates: [[Double]] = [[], [], [], []]
      // All take turns, so that everything else on the machine affects all alike.
      for _ in 0..<effort.choose(quick: 1, normal: 3) {
        rates[0].append(try await bench.insert(into: Self.plain, seconds: seconds))
        rates[1].append(try await bench.insert(into: Self.byHand, seconds: seconds))
        rates[2].append(try await bench.insert(into: "orders", seconds: seconds))
        rates[3].append(try await rateWhileDraining(project, bench, seconds: seconds))
      }
      return Self.rates(rates.map { Samples($0).p50 }) + (try await started(project))
    }
  }

  /// A table, and a trigger that copies its rows.
  private static let outbox =
    Orders.table(byHand) + """
      CREATE TABLE outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document jsonb NOT NULL);
      CREATE FUNCTION to_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO outbox (document) VALUES (to_jsonb(NEW));
        RETURN NULL;
      END $$;
      CREATE TRIGGER to_outbox AFTER INSERT ON \(byHand) FOR EACH ROW EXECUTE FUNCTION to_outbox();
      """

  private static func rates(_ medians: [Double]) -> [Finding] {
    let cases: [(what: String, isYardstick: Bool, limits: [Limit], goal: Limit?)] = [
      ("not captured (pgbench alone)", true, [], nil), ("by a trigger written by hand", true, [], nil),
      ("captured, no runner", false, [.ratioAtLeast(0.6)], nil),
      ("captured, while a runner drains", false, [.ratioAtLeast(0.3)], .ratioAtLeast(0.6)),
    ]
    let findings = zip(cases, medians).map { one, median in
      Finding(
        what: "writers: \(PgBench.clients), \(one.what)", perSecond: median,
        ratio: one.isYardstick ? nil : median / medians[0], isYardstick: one.isYardstick, limits: one.limits,
        goal: one.goal)
    }
    let againstHand = Finding(
      what: "writers: \(PgBench.clients), captured, no runner, against a trigger written by hand",
      ratio: medians[2] / medians[1], goal: .ratioAtLeast(0.9))
    return findings + [againstHand]
  }

  /// The writers' rate, measured when the events of the time without a runner are gone.
  private func rateWhileDraining(_ project: QueueProject, _ bench: PgBench, seconds: Int) async throws -> Double {
    let runner = try await project.start()
    try await project.waitUntilEmpty()
    async let late: Void = commitLate(project.databaseURL, for: .seconds(seconds))
    let rate = try await bench.insert(into: "orders", seconds: seconds)
    try await late
    try await project.waitUntilEmpty()
    try await runner.stop()
    return rate
  }

  /// A writer that has its id long before it commits; every second time it does not.
  private func commitLate(_ url: String, for time: Duration) async throws {
    let end = ContinuousClock.now + time
    try await connected(to: url) { database in
      var commits = true
      while ContinuousClock.now < end {
        do {
          try await database.transaction { transaction in
            _ = try await transaction.query(
              "INSERT INTO orders (customer, status, total, note) VALUES (1, 'open', 1, 'late')")
            try await Task.sleep(for: .milliseconds(700))
            if !commits { throw RolledBack() }
          }
        } catch is RolledBack {}
        commits.toggle()
      }
    }
  }

  private struct RolledBack: Error {}

  private func started(_ project: QueueProject) async throws -> [Finding] {
    let rows = try project.stamps().map(\.row)
    let started = Set(rows)
    let committed = try await connected(to: project.databaseURL) {
      Set(try await $0.query("SELECT id FROM orders").decode("id", as: Int64.self))
    }
    let cases = [
      ("that never started", committed.subtracting(started).count),
      ("that were rolled back and started", started.subtracting(committed).count),
      ("that started twice", rows.count - started.count),
    ]
    return cases.map { what, count in
      Finding(what: "writers: events \(what), of \(committed.count)", value: Double(count), limits: [.valueAtMost(0)])
    }
  }
}
