import FoundationEssentials
import Glibc
import Lifecycle
import LocalPostgres
import System

/// What checkouts that were deleted have left: runners that go on serving, servers and databases.
enum LeftBehind {
  /// Ends what still runs.
  static func end(_ runners: [LeftRunner], _ clusters: [LeftCluster]) async throws -> [Shutdown.Ended] {
    var ended: [Shutdown.Ended] = []
    for runner in runners {
      try await Shutdown.end(runner.process) { ProcessTable.Entry(of: runner.process) == nil }
      ended.append(.init(what: "the runner of \(runner.project)", process: Int(runner.process)))
    }
    for cluster in clusters {
      guard let server = cluster.server else { continue }
      guard try await LocalPostgres.end(server, until: .now + .seconds(10)) else { continue }
      ended.append(.init(what: "the PostgreSQL of \(cluster.project)", process: Int(server.process)))
    }
    return ended
  }

  /// Deletes the databases that nothing uses any more.
  static func delete(_ clusters: [LeftCluster]) throws {
    for cluster in clusters where cluster.server == nil {
      let socket = "\(SocketDirectory.runtime)/push-functions-\(cluster.home.split(separator: "/").last ?? "")"
      for path in [cluster.home, socket] where access(path, F_OK) == 0 {
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }
}
