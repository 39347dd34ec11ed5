import CLI
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushLive

/// Checks what pushes need in the database, and what waits there.
struct DatabaseCheck {
  private let environment: Environment

  init(_ environment: Environment) {
    self.environment = environment
  }

  /// - Parameters:
  ///   - faults: what is wrong with the configuration, as the report has said already.
  ///   - domain: the clock that dates provider tokens, unless they are for Apple.
  func findings(
    _ apns: APNsKeys?, _ fcm: FCMConfiguration?, besides faults: [String], _ domain: DomainClock
  ) async -> [Finding] {
    let url: String
    do {
      url = try environment.databaseURL()
    } catch {
      return [.missing("database", error.message)]
    }
    let database = Connection(url: url, applicationName: "push doctor", statementTimeout: .seconds(30))
    var findings: [Finding] = []
    do {
      findings.append(try await clock(database))
      let rights = try await TableRights.missing(in: database, sharesTokens: apns != nil)
      findings += rights
      if rights.allSatisfy({ $0.grade != .missing }) {
        findings += try await DeviceCheck(database, environment).findings(apns, fcm)
        findings += try await UnreadRulesCheck(environment).findings(in: database)
        findings += try await ActivityCheck.findings(in: database)
        findings += try await QueueCheck(database).findings(besides: faults, at: domain.now)
        if let apns {
          findings += try await ProviderTokenCheck(database).findings(now: apns.isForApple ? .now : domain.now)
        }
      }
    } catch {
      findings.append(.missing("database", error.code == .connection ? error.openingFailure : "\(error)"))
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
