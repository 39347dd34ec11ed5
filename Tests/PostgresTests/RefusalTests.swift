import TestSupport
import Testing

@testable import Postgres

/// Servers that are there and do not let a client in.
@Suite(.heavy)
struct RefusalTests {
  private func refusal(of url: String) async throws -> PostgresError {
    let connection = Connection(url: url, applicationName: "test")
    let error = await #expect(throws: PostgresError.self) { _ = try await connection.query("SELECT 1") }
    await connection.close()
    return try #require(error)
  }

  @Test func theServersSentenceIsToldWithWhatToLookAt() async throws {
    let cluster = try await PrivateCluster()
    let administrator = Connection(url: cluster.url(), applicationName: "test")
    try await administrator.script(
      """
      CREATE ROLE closed NOLOGIN;
      CREATE ROLE crowd LOGIN CONNECTION LIMIT 0;
      CREATE ROLE guest LOGIN PASSWORD 'right';
      """)
    try await administrator.script("CREATE DATABASE shut WITH ALLOW_CONNECTIONS false")
    try await administrator.script("REVOKE CONNECT ON DATABASE template1 FROM PUBLIC")
    func url(_ role: String, _ database: String = "postgres") -> String {
      cluster.url(database: database).replacing("user=postgres", with: "user=\(role)")
    }
    let cases: [(url: String, refusal: Refusal, words: String)] = [
      (url("nobody"), .role, #"role "nobody" does not exist"#),
      (url("closed"), .role, "is not permitted to log in"),
      (url("crowd"), .full, #"too many connections for role "crowd""#),
      (url("guest", "nowhere"), .database, #"database "nowhere" does not exist"#),
      (url("guest", "shut"), .database, "is not currently accepting connections"),
      (url("guest", "template1"), .right, #"permission denied for database "template1""#),
    ]
    for (url, refusal, words) in cases {
      let error = try await self.refusal(of: url)
      #expect(error.refusal == refusal && error.message.contains(words), "\(error)")
      #expect(error.code == .connection && error.isOfNetwork && error.isRetryable)
      #expect(error.isRefusal == (refusal != .full))
      let sentence = error.openingFailure
      #expect(
        sentence.hasPrefix("The database refuses the connection: ") && sentence.contains("look at") || refusal == .right
      )
      #expect(!sentence.contains("LOCATION"))
    }

    try await administrator.script(
      """
      DO $$ BEGIN
        EXECUTE format('COPY (SELECT ''local all postgres trust'' UNION ALL SELECT ''local all guest scram-sha-256'') TO %L',
          current_setting('hba_file'));
      END $$;
      SELECT pg_reload_conf();
      """)
    let wrong = url("guest") + "&password=wrong"
    // The server reads the file a moment later.
    try await patiently {
      while true {
        let connection = Connection(url: wrong, applicationName: "test")
        let isOpened = (try? await connection.query("SELECT 1")) != nil
        await connection.close()
        guard isOpened else { return }
      }
    }
    #expect(try await refusal(of: wrong).refusal == .password)
    #expect(try await refusal(of: wrong).message.contains(#"password authentication failed for user "guest""#))
    #expect(try await refusal(of: wrong).openingFailure.contains("wrong") == false)
    #expect(try await refusal(of: url("guest")).refusal == .password)
    #expect(try await refusal(of: url("closed")).refusal == .role)
    let right = Connection(url: url("guest") + "&password=right", applicationName: "test")
    #expect(try await right.query("SELECT 1").count == 1)
    await right.close()
  }

  @Test func aServerThatIsAwayOrStartsRefusesNobody() async throws {
    let cluster = try await PrivateCluster()
    try await cluster.stop()
    #expect(try await refusal(of: cluster.url()).refusal == nil)
    let link = try DatabaseLink(to: cluster.url())
    link.pretendToStart(true)
    let error = try await refusal(of: link.linkedURL)
    #expect(error.refusal == nil && error.openingFailure.hasPrefix("The database does not answer: "), "\(error)")
  }

  @Test(
    arguments: [
      (
        #"connection to server at "h" (10.0.0.1), port 5432 failed: FATAL:  28P01: Passwort-Authentifizierung fehlgeschlagen"#,
        Refusal.password
      ),
      (
        "a failed: Connection refused\nb failed: FATAL:  28000: no pg_hba.conf entry for host\nLOCATION:  f, auth.c:1",
        .role
      ),
      ("a failed: FATAL:  57P03: the database system is starting up\nb failed: FATAL:  28P01: no", nil),
      ("a failed: FATAL:  28P01: no\nb failed: FATAL:  53300: sorry, too many clients already", .full),
      ("a failed: FATAL:  3D000: no\nb failed: FATAL:  XX000: Tenant or user not found", .other),
      ("a failed: FATAL:  53300: sorry, too many clients already", .full),
      ("a failed: FATAL:  XX000: Tenant or user not found", .other),
      ("a failed: server does not support SSL, but SSL was required", .encryption),
      ("a failed: SSL error: certificate verify failed", .encryption),
      (#"connection to server at "certificate.example" (10.0.0.1), port 5432 failed: Connection refused"#, nil),
      (#"could not translate host name "certificate" to address: Name or service not known"#, nil),
      ("a failed: fe_sendauth: no password supplied", .password),
    ] as [(String, Refusal?)])
  func whatLibpqSaysIsUnderstoodInEachLanguage(text: String, refusal: Refusal?) {
    #expect(Refusal(libpq: text) == refusal)
  }
}
