import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// A warm function that handles events on the thread of its connection.
@Suite(.heavy)
struct QuietFunctionTests {
  /// The thread must be free when no event comes, since it closes the session then.
  @Test func closesItsSessionAndOpensAnotherForTheNextEvent() async throws {
    let url = try await BatchRun.emptyDatabase()
    let devices = try StreamedFunction("devices", environment: ["DATABASE_URL": url])
    let event = """
      {"specversion":"1.0","id":"1","source":"/http","type":"\(EventType.call)",\
      "data":\(try House.text("Tests/Events/devices.json").replacing("\n", with: " "))}
      """

    // The first event makes the function, and the others come to the thread.
    let first = try await devices.answers(to: [event, event, event])
    try await BatchRun.connected(to: url) { database in
      let sessions: SQL =
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'devices'"
      #expect(try await database.query(sessions).count == 1)
      try await eventually("the session is closed") { try await database.query(sessions).isEmpty }
      #expect(try await devices.answers(to: [event, event]) == Array(first[..<2]))
      #expect(try await database.query(sessions).count == 1)
    }
    devices.send(SIGTERM)
    #expect(try await devices.rest() == [])

    #expect(Set(first).count == 1)
    #expect(first[0].contains(#""statusCode":401"#))
  }
}
