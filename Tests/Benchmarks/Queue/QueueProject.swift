import FunctionKit
import Glibc
import Postgres
import TestSupport

/// A project on a database of its own that stays while its runner is started and stopped.
struct QueueProject {
  let databaseURL: String
  private let folder: TemporaryDirectory
  private let cluster: LocalCluster

  /// Makes the database, the tables and the triggers.
  ///
  /// A function whose executable is `stamp` is ``Stamp``.
  init(_ cluster: LocalCluster, manifest: String, tables: String = Orders.table()) async throws {
    self.cluster = cluster
    let url = try await cluster.makeDatabase()
    databaseURL = url
    folder = try TemporaryDirectory()
    try folder.write(Schema.manifest(manifest), to: "functions.json")
    guard symlink("/proc/self/exe".resolved, "\(folder.path)/\(Stamp.name)") == 0 else {
      throw SystemError("symlink")
    }
    try await connected(to: url) { try await $0.script(tables) }
    let migration = try await BuiltExecutables.run(
      "runner", ["migrate", "--project", folder.path], environment: ["DATABASE_URL": url])
    guard migration.exit == 0 else { throw BenchmarkError("runner migrate: \(migration.stderr)") }
  }

  /// Writes an executable of the project.
  func write(_ script: String, to name: String) throws {
    try folder.write(script, to: name, mode: 0o755)
  }

  /// Starts the runner and waits until it serves.
  func start(environment: [String: String] = [:]) async throws -> ServingRunner {
    try await ServingRunner.start(project: folder.path, database: databaseURL, environment: environment)
  }

  /// Makes that many rows, starts the runner, and waits until all of them have ended well.
  ///
  /// - Parameter pages: opens pages of the console when the runner serves.
  func drain(
    _ count: Int, environment: [String: String] = [:], pages: (UInt16) throws -> [OpenPage] = { _ in [] }
  ) async throws -> ServerShare {
    try await connected(to: databaseURL) { database in
      try await database.script(Orders.rows(count))
      let backlog = try await Backlog(database)
      guard backlog.count == count else {
        throw BenchmarkError("\(backlog.count) of \(count) changes were captured.")
      }
      // Otherwise writing the backlog to disk would be charged to the runner that drains it.
      try await database.script("CHECKPOINT")
      let used = try await cluster.serverTime()
      async let draining = backlog.drained(within: .seconds(120))
      let runner = try await start(environment: environment)
      let pages = try pages(runner.port)
      let time = try await draining
      let serverTime = try await cluster.serverTime() - used
      for page in pages { await page.close() }
      try await runner.stop()
      try await backlog.verify()
      return ServerShare(count, in: time, serverTime: serverTime)
    }
  }

  /// Waits until no event is in the queue.
  func waitUntilEmpty(within limit: Duration = .seconds(120)) async throws {
    let deadline = ContinuousClock.now + limit
    try await connected(to: databaseURL) { database in
      while try await database.query("SELECT FROM runner.events LIMIT 1").count > 0 {
        guard ContinuousClock.now < deadline else { throw BenchmarkError("Events are still waiting.") }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Marks that the function has noted so far.
  func stamps() throws -> [Stamp.Mark] {
    try Stamp.read(in: folder.path)
  }
}

extension String {
  /// The path without symbolic links.
  fileprivate var resolved: String {
    guard let path = realpath(self, nil) else { return self }
    defer { free(path) }
    return String(cString: path)
  }
}
