import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushLive

/// What pushes need of the database, and what stands in it.
struct DatabaseCheck {
  private let environment: Environment

  init(_ environment: Environment) {
    self.environment = environment
  }

  func findings(_ apns: APNsKeys?, _ fcm: FCMConfiguration?) async -> [Finding] {
    let url: String
    do {
      url = try environment.databaseURL()
    } catch {
      return [.missing("database", error.message)]
    }
    let database = Connection(url: url, applicationName: "push-doctor", statementTimeout: .seconds(30))
    var findings: [Finding] = []
    do {
      findings.append(try await clock(database))
      let rights = try await TableRights.missing(in: database, sharesTokens: apns != nil)
      findings += rights
      if rights.allSatisfy({ $0.grade != .missing }) {
        findings += try await DeviceCheck(database).findings(apns, fcm)
        findings += try await QueueCheck(database).findings()
        if apns != nil { findings += try await ProviderTokenCheck(database).findings(now: .now) }
      }
    } catch {
      findings.append(.missing("database", "\(error)"))
    }
    await database.close()
    return findings
  }

  private func clock(_ database: Connection) async throws(PostgresError) -> Finding {
    _ = try await database.query("SELECT 1")
    let before = Date.now
    let theirs = try await database.query("SELECT clock_timestamp() AS now").only().decode("now", as: Date.self)
    return ClockSkew(theirs: theirs, before: before, after: .now).finding("the database")
  }
}
