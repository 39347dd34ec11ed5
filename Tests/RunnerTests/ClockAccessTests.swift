import FunctionKit
import Postgres
import TestSupport
import Testing

@testable import Runner

@Suite(.heavy)
struct ClockAccessTests {
  @Test(arguments: [
    // A loopback address may be a tunnel's.
    ("127.0.0.1", true, true, true, "over the network (127.0.0.1)"),
    ("localhost", false, true, true, "over the network (localhost)"),
    ("db.example.com", false, true, true, "over the network (db.example.com)"),
    ("", true, true, true, "over the network ()"),
    ("/run/pgbouncer", false, true, true, "from behind the socket in /run/pgbouncer"),
    ("/run/postgresql", true, false, false, "not the project's own"),
  ])
  func onlyALocalDatabaseOfTheProjectIsSet(
    _ host: String, _ isLocalToServer: Bool, _ isOwn: Bool, _ anyLocal: Bool, _ reason: String
  ) throws {
    let access = ClockAccess(host: host, isLocalToServer: isLocalToServer, isOwn: isOwn)

    let error = try #require(throws: FunctionError.self) { try access.check(anyLocal: anyLocal) }

    #expect(error.code.exitStatus == 78)
    #expect(error.message.contains(reason), "\(error.message)")
  }

  @Test(arguments: [(true, false), (true, true), (false, true)])
  func aSocketOfOnesOwnMayBeSet(_ isOwn: Bool, _ anyLocal: Bool) throws {
    try ClockAccess(host: "/tmp/x", isLocalToServer: true, isOwn: isOwn).check(anyLocal: anyLocal)
  }

  @Test func looksAtARealConnection() async throws {
    let access = try await ClockAccess(TemporaryPostgres.statelessConnection(), isOwn: true)

    #expect(access.host.hasPrefix("/"))
    #expect(access.isLocalToServer)
  }
}
