import FunctionKit
import Postgres
import TestSupport
import Testing

/// The lines of `runner doctor` about a database.
@Suite(.heavy)
struct DoctorDatabaseTests {
  private func findings(_ check: String, _ runner: RunningRunner) async throws -> [RawJSON] {
    let outcome = try await runner.run(["doctor", "--json"])
    let all = try RawJSON(validating: Array(outcome.stdout.utf8)[...]).elements ?? []
    return all.filter { $0["check"]?.stringValue == check }
  }

  @Test func itNamesPeopleWhomFunctionsWouldNotFindBeforeAnythingIsMigrated() async throws {
    let runner = try await RunningRunner(
      #"{"people": {"follow": "push_follow_people", "into": "users"}, "functions": {"f": {"executable": "f.sh"}}}"#,
      scripts: ["f.sh": "cat"], isMigrated: false)
    try await runner.database.script(
      """
      CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text);
      INSERT INTO accounts (email) VALUES ('ada@example.com')
      """)

    let people = try await findings("people", runner)

    #expect(people.count == 1 && people[0]["ok"] == RawJSON(false))
    let sentence = people.first?["detail"]?.stringValue ?? ""
    #expect(sentence.hasPrefix("The people of this database are in accounts, and none in users"), "\(sentence)")
  }

  @Test func itNamesWhoIsMarkedAsDeletedAndKeptByAKeyOfTheApps() async throws {
    let people = #"{"follow": "follow", "into": "users", "table": "accounts", "email": "email", "deleted": "gone"}"#
    let runner = try await RunningRunner(
      #"{"people": \#(people), "functions": {"f": {"executable": "f.sh"}}}"#, scripts: ["f.sh": "cat"],
      isMigrated: false)
    try await runner.database.script(
      """
      CREATE FUNCTION follow(jsonb, boolean DEFAULT false) RETURNS text LANGUAGE sql RETURN NULL::text;
      CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text, gone boolean);
      CREATE TABLE users (id uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE);
      CREATE TABLE orders (user_id uuid REFERENCES users (id));
      INSERT INTO accounts (gone) VALUES (true), (false), (NULL); INSERT INTO users SELECT id FROM accounts;
      INSERT INTO orders SELECT id FROM accounts WHERE gone
      """)
    #expect(try await runner.run(["migrate"]).exit == 0)

    let sentence = try await findings("people", runner).first?["detail"]?.stringValue ?? ""

    #expect(sentence.hasPrefix("1 of users are marked as deleted in accounts and are told nothing"), "\(sentence)")
    #expect(sentence.contains("keys of orders refer to users without ON DELETE CASCADE"), "\(sentence)")
    let statement = sentence[try #require(sentence.firstRange(of: "DELETE FROM ")).lowerBound...]
    try await runner.database.script("DELETE FROM orders; \(statement)")
    #expect(try await findings("people", runner).isEmpty)
  }

  @Test func itNamesTheReasonsOfDeadLettersAndStillExitsAsIfTheyWereNotThere() async throws {
    let runner = try await RunningRunner(#"{"functions": {"f": {"executable": "f.sh"}}}"#, scripts: ["f.sh": "cat"])
    #expect(try await runner.run(["migrate"]).exit == 0)
    let before = try await runner.run(["doctor", "--json"]).exit
    #expect(try await findings("dead", runner).isEmpty)
    try await runner.database.script(
      """
      INSERT INTO runner.dead_letters (partition, id, function, attempts, code, error, died_at)
      SELECT 0, n, 'f', 1, 'BAD_EVENT', CASE WHEN n < 3 THEN 'record.type is unknown.' ELSE 'The reason ' || n END,
        now() + interval '1 s' * n
      FROM generate_series(1, 13) AS n
      """)

    let dead = try await findings("dead", runner)

    #expect(try await runner.run(["doctor", "--json"]).exit == before)
    #expect(dead.allSatisfy { $0["warning"] == RawJSON(true) && $0["ok"] == RawJSON(true) })
    let details = dead.compactMap { $0["detail"]?.stringValue }
    #expect(details.count == 11 && details.first == "1 of f: BAD_EVENT: The reason 13")
    #expect(details.last == "2 more reasons; see runner events dead; then runner events retry, or purge")

    try await runner.database.script("DELETE FROM runner.dead_letters WHERE id > 2")
    #expect(
      try await findings("dead", runner).compactMap { $0["detail"]?.stringValue } == [
        "2 of f: BAD_EVENT: record.type is unknown.", "see runner events dead; then runner events retry, or purge",
      ])
  }
}
