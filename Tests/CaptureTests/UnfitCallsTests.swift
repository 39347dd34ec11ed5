import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// Tables of an app whose checks keep out what only calls of the API write.
@Suite(.heavy)
struct UnfitCallsTests {
  private func manifest() throws -> Manifest { try Manifest(directory: Schema.project) }

  /// An app may never make the call: nothing is refused, and the call that would fail is named.
  @Test(arguments: ["CHECK (status IN ('pending', 'accepted', 'rejected'))", "varchar(7)"])
  func whatOnlyCallsWriteIsNoted(check: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      \(UnfitTablesTests.notifications())
      CREATE TABLE friend_requests (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), requester_id uuid NOT NULL,
        recipient_id uuid NOT NULL, status \(check.hasPrefix("varchar") ? check : "text NOT NULL \(check)"));
      """)
    let migrator = Migrator(database: connection)
    let call = "A call of POST /api/v1/notifications/{id}/actions or POST /api/v1/notifications/{id}/opened may fail: "
    #expect(try await !migrator.plan(manifest(), prunes: false).isEmpty)

    let notes = try await migrator.migrate(manifest()).notes.filter { $0.hasPrefix("A call of ") }

    #expect(notes.count == 1 && notes[0].hasPrefix("\(call)friend_requests"), "\(notes)")
    #expect(try await Unfitness.lines(of: manifest(), in: connection).isEmpty)
    #expect(try await Unfitness.warnings(of: manifest(), in: connection) == notes)
    #expect(try await migrator.check(manifest()).notes.contains(notes.first ?? ""))
    // The type of a column that a trigger reads stays.
    guard check.hasPrefix("CHECK") else { return }
    let start = try #require(notes.first?.firstRange(of: "ALTER TABLE ")).lowerBound
    try await connection.script(String(notes[0][start...]))
    #expect(try await Unfitness.warnings(of: manifest(), in: connection).isEmpty)
  }

  /// Nor is anything refused because a check cannot be asked about it.
  @Test(arguments: [
    ("CHECK (1 / (length(vote) - 5) < 9)", "22012"), ("CHECK (vote <> 'maybe' OR vote::integer > 0)", "22P02"),
  ])
  func whatOnlyCallsWriteAndNoCheckCanBeAskedIsNoted(check: String, state: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      \(UnfitTablesTests.people)
      CREATE TABLE proposal_votes (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), proposal_id uuid NOT NULL,
        option_id uuid NOT NULL, user_id uuid NOT NULL REFERENCES users (id), vote text NOT NULL \(check));
      """)
    let migrator = Migrator(database: connection)
    #expect(try await !migrator.plan(manifest(), prunes: false).isEmpty)

    let notes = try await migrator.migrate(manifest()).notes.filter { $0.hasPrefix("A call of ") }

    #expect(notes.count == 1 && notes[0].contains("proposal_votes has a check that cannot be asked"), "\(notes)")
    #expect(notes.allSatisfy { $0.contains(state) }, "\(notes)")
    #expect(try await Unfitness.lines(of: manifest(), in: connection).isEmpty)
    #expect(try await Unfitness.warnings(of: manifest(), in: connection) == notes)
  }
}
