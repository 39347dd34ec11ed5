import FunctionKit
import Glibc
import Postgres
import TestSupport

/// A project on a database of its own that stays while its runner is started and stopped.
struct QueueProject {
  let databaseURL: String
  private let folder: TemporaryDirectory

  /// Makes the database, the tables and the triggers.
  ///
  /// A function whose executable is `stamp` is ``Stamp``.
  init(_ cluster: LocalCluster, manifest: String, tables: String = Orders.table()) async throws {
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

  /// Starts the runner and waits until it serves.
  func start() async throws -> ServingRunner {
    try await ServingRunner.start(project: folder.path, database: databaseURL)
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

  /// What the function has noted so far.
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
