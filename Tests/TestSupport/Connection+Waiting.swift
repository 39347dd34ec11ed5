// A release build makes this library too, and has no test library then.
#if canImport(Testing)
  package import Postgres
  import Testing

  extension Connection {
    /// Asks the database until the answer is yes.
    package func wait(within limit: Duration = .seconds(120), until question: SQL) async throws {
      let (deadline, pauses) = (ContinuousClock.now + limit, Pauses())
      while try await !query("SELECT (\(question)) AS yes").only().decode("yes", as: Bool.self) {
        try #require(ContinuousClock.now < deadline, "The database does not come to say yes to: \(question.text)")
        try await pauses.next()
      }
    }
  }
#endif
