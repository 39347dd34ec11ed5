import FunctionKit
import HTTPClient
import Postgres
import TestSupport

/// A way in which a database is away for a while.
enum Outage: CaseIterable {
  /// An administrator stops it and starts it again.
  case stopped
  /// All its processes are killed, as by a loss of power.
  case killed
  /// It, or a proxy before it, answers nothing any more and closes nothing, as long as its old connections live.
  case halfOpen
  /// Its disk has no room.
  case full
  /// It is read-only, as hosts of databases make it, for example when the disk is nearly full.
  case readOnly
  /// It comes back from an older base backup.
  ///
  /// Everything that was committed since is gone, and its sequences draw the same ids again for other rows.
  case restored

  /// The outages that this user can bring about.
  static var possible: [Outage] { allCases.filter { $0 != .full || PrivateCluster.canMountDisks } }
}

/// A runner with real functions and scripts, on a server of its own that can go away.
struct OutageScene {
  let outage: Outage
  let cluster: PrivateCluster
  let link: DatabaseLink
  let runner: RunningRunner

  init(_ outage: Outage) async throws {
    self.outage = outage
    // A server that dies is to forget everything that it may forget of asynchronous commits.
    cluster = try await RunningRunner.cluster(settings: "wal_writer_delay = 10s", disk: outage == .full ? 160 : nil)
    link = try DatabaseLink(to: cluster.url())
    runner = try await RunningRunner.withLedgers(
      try Self.manifest(),
      scripts: ["ledger", "call", "tick"].reduce(into: [:]) { $0[$1] = Ledger.script($1) }, database: cluster.url())
  }

  /// Rows, calls, occurrences of a schedule, and votes that become pushes.
  private static func manifest() throws -> String {
    let bundle = try RawJSON(validating: Array(House.text("functions.json").utf8)[...])
    func text(_ path: String...) -> String {
      String(decoding: path.reduce(bundle) { $0[$1] ?? .null }.bytes, as: UTF8.self)
    }
    return """
      {"functions": {
        \(Ledger.function("ledger", #","key":"key","attempts":100"#)),
        "call": {"executable": "call.sh", "attempts": 100},
        "tick": {"executable": "tick.sh", "triggers": [{"schedule": "* * * * * *"}], "attempts": 100},
        "vote-cast": {"triggers": [{"table": "votes", "events": ["INSERT"]}], "key": "feedback_id",
          "environment": ["DATABASE_URL"], "attempts": 100},
        "push-delivery": \(text("functions", "push-delivery"))
      }, "services": \(text("services"))}
      """
  }

  /// Starts the runner, with the push emulator, and loads the demo's people.
  func serve() async throws -> Served {
    let served = try await runner.start(
      services: true, environment: outage == .halfOpen ? ["DATABASE_URL": link.linkedURL] : [:])
    try await served.program.line { $0.contains("Partitions taken") }
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))
    return served
  }

  /// Each of its rows comes with a vote for a feedback of its own, and somebody is told of it at once.
  func writers() -> [Writer] {
    (0..<2).map { number in
      Writer(number, url: cluster.url()) { n, _ in
        [
          """
          INSERT INTO feedbacks (id, title, user_id, user_email, project_id)
          SELECT \(Self.feedback(n))::uuid, title || \(" \(n)"), user_id, user_email, project_id FROM feedbacks
          WHERE id = 'c0000000-0000-4000-8000-000000000001' ON CONFLICT DO NOTHING
          """,
          """
          INSERT INTO votes (feedback_id, user_id) VALUES (\(Self.feedback(n))::uuid, 'voter') ON CONFLICT DO NOTHING
          """,
        ]
      }
    }
  }

  private static func feedback(_ n: Int) -> String {
    let digits = "\(n)"
    return "c1000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// The database goes away.
  func begin() async throws {
    switch outage {
    case .stopped, .restored: try await cluster.stop()
    case .killed: try await cluster.kill()
    case .halfOpen: link.freeze()
    case .full: try await fill()
    case .readOnly: try await set("SET default_transaction_read_only = on")
    }
  }

  /// It comes back.
  func end() async throws {
    switch outage {
    case .stopped, .killed: try await cluster.start()
    case .halfOpen: link.thaw()
    case .full:
      try await cluster.freeDisk()
      // It may have ended itself over a full log.
      try? await cluster.start()
    case .readOnly: try await set("RESET default_transaction_read_only")
    case .restored:
      try await cluster.restore()
      try await cluster.start()
    }
  }

  private func set(_ setting: SQL) async throws {
    _ = try await runner.database.query("ALTER SYSTEM \(setting)")
    _ = try await runner.database.query("SELECT pg_reload_conf()")
  }

  private func fill() async throws {
    try await cluster.fillDisk()
    // What is there of the log is written first.
    var refused = 0
    for batch in 1...200 where refused < 3 {
      let (first, last) = (10_000_000 + batch * 500, 10_000_499 + batch * 500)
      let rows: SQL = "SELECT i, 'full', repeat('x', 500) FROM generate_series(\(first), \(last)) AS i"
      do { _ = try await runner.database.query("INSERT INTO entries \(rows)") } catch { refused += 1 }
    }
    guard refused == 3 else { throw ProgramFailure(description: "The disk does not get full.") }
  }
}
