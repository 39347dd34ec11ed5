import FunctionKit
import Lifecycle
import LocalPostgres
import System

/// The things that deleted checkouts have left: runners that still serve, PostgreSQL servers and databases.
enum LeftBehind {
  /// Ends what still runs.
  ///
  /// - Throws: at the end, if something has not ended.
  static func end(_ runners: [LeftRunner], _ clusters: [LeftCluster]) async throws -> [Shutdown.Ended] {
    var (ended, rest): ([Shutdown.Ended], [String]) = ([], [])
    for runner in runners {
      let entry = ProcessTable.Entry(of: runner.process)
      do {
        try await Shutdown.end(runner.process) {
          ProcessTable.Entry(of: runner.process).map { $0.started != entry?.started || $0.isZombie } ?? true
        }
        ended.append(.init(what: "the runner of \(runner.project)", process: Int(runner.process)))
      } catch let error as FunctionError {
        rest.append("\(error)")
      }
    }
    for cluster in clusters {
      guard let server = cluster.server else { continue }
      if try await LocalPostgres.end(server, until: .now + .seconds(10)) {
        ended.append(.init(what: "the PostgreSQL of \(cluster.project)", process: Int(server.process)))
      } else {
        rest.append("The PostgreSQL of \(cluster.project), process \(server.process), does not end.")
      }
    }
    guard rest.isEmpty else {
      throw FunctionError(.unavailable, (ended.map { "It has \($0.text)." } + rest).joined(separator: " "))
    }
    return ended
  }

  /// Deletes the databases that nothing uses any more.
  ///
  /// - Returns: their folders.
  static func delete(_ clusters: [LeftCluster]) throws -> [String] {
    // A checkout may have come back while the person was asked.
    let left = Set(LeftCluster.all().map(\.home))
    return try clusters.filter { try left.contains($0.home) && $0.delete() }.map(\.home)
  }
}
