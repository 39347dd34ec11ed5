import Foundation
import Postgres
import TestSupport

/// The cost of a runner with the project's own functions while nothing happens.
struct IdleBenchmark {
  let effort: Effort

  func findings() async throws -> [Finding] {
    let seconds = effort.choose(quick: 5, normal: 20, long: 120)
    return try await withServedProject(manifest: try ProjectManifest.read().text) { project in
      try await connected(to: try project.databaseURL) { database in
        // Everything that any session executes, the single statements of a pipeline and BEGIN and COMMIT included.
        try await database.script("ALTER SYSTEM SET log_statement = 'all'")
        try await database.script("SELECT pg_reload_conf()")
      }
      try await Task.sleep(for: .seconds(3))
      let log = "\(project.folder.path)/.runner/postgres/server.log"
      let (before, usedBefore) = (try Self.statements(log), try ProcessFigures(project.runner.processID).cpu)
      let start = ContinuousClock.now
      try await Task.sleep(for: .seconds(seconds))
      let time = (ContinuousClock.now - start) / .seconds(1)
      let used = try ProcessFigures(project.runner.processID).cpu - usedBefore
      return [
        Finding(
          what: "idle: % of one core, the runner's process", value: 100 * (used / .seconds(1)) / time,
          limits: [.valueBelow(1)]),
        Finding(
          what: "idle: statements a second, of all sessions", value: Double(try Self.statements(log) - before) / time,
          limits: [.valueAtMost(10)]),
      ]
    }
  }

  /// How many statements the server has logged.
  private static func statements(_ log: String) throws -> Int {
    try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count {
      $0.contains(" LOG:  statement: ") || $0.contains(" LOG:  execute ")
    }
  }
}
