import Postgres
import TestSupport
import Testing

/// Sessions that nobody uses for a while.
@Suite(.heavy)
struct IdleTests {
  @Test func anUnusedSessionIsClosedAndTheNextRequestOpensAnother() async throws {
    let url = try await TemporaryPostgres.database()
    let observer = Connection(url: url, applicationName: "observer")
    let connection = Connection(url: url, applicationName: "rests", idleLimit: .milliseconds(20))

    // The second time as the first.
    var last = 0
    for _ in 0..<2 {
      let session = try await processID(of: connection)
      #expect(session != last)
      try await patiently { while try await observer.has(session) {} }
      last = session
    }
    #expect(try await processID(of: connection) != last)
  }

  @Test func aTransactionThatWaitsKeepsItsSession() async throws {
    let url = try await TemporaryPostgres.database()
    let observer = Connection(url: url, applicationName: "observer")
    let other = Connection(url: url, applicationName: "other", idleLimit: .milliseconds(2))
    let connection = Connection(url: url, applicationName: "works", idleLimit: .milliseconds(1))

    let kept = try await connection.transaction { transaction in
      let session: Int = try await transaction.query("select pg_backend_pid() as pid").only().decode("pid")
      // Others are closed meanwhile.
      for _ in 0..<3 {
        let resting = try await processID(of: other)
        try await patiently { while try await observer.has(resting) {} }
      }
      return session
    }

    // Only after the transaction.
    try await patiently { while try await observer.has(kept) {} }
    #expect(try await processID(of: connection) != kept)
  }
}

extension Connection {
  fileprivate func has(_ session: Int) async throws -> Bool {
    try await !query("select from pg_stat_activity where pid = \(session)").isEmpty
  }
}
