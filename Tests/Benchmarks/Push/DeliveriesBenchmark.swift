import Foundation
import Postgres
import Signing
import TestSupport

/// Drains a backlog of deliveries, one to each person, through the real push-delivery in its warm mode.
///
/// The time runs from rows of `deliveries` to rows that say accepted and a log of every attempt. nginx takes the place
/// of APNs.
struct DeliveriesBenchmark {
  let effort: Effort

  func findings() async throws -> [Finding] {
    let count = effort.choose(quick: 20_000, normal: 200_000)
    let nginx = try await PushNginx.start()
    let (course, serverTime) = try await LocalCluster.with { cluster in
      let url = try await cluster.makeDatabase()
      return try await connected(to: url) { database in
        for migration in Schema.migrations { try await database.script(migration.sql) }
        try await database.script(PushBacklog.rows(count))
        // Otherwise writing the backlog to disk would be charged to push-delivery, which drains it.
        for statement in ["VACUUM ANALYZE", "CHECKPOINT"] { try await database.script(statement) }
        let used = try await cluster.serverTime()
        let course = try await DeliveryCourse.run(database: url, nginx)
        let serverTime = try await cluster.serverTime() - used
        try await PushBacklog.verify(count, database)
        return (course, serverTime)
      }
    }
    try await nginx.stop()
    let share = ServerShare(count, in: course.time, serverTime: serverTime)
    return ServerShare.findings(
      "deliveries: accepted, logged and written back, of \(count)", [share], atLeast: 0.35, goal: 16_000)
      + course.findings(of: count)
  }
}
