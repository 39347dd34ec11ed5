import FunctionKit
import Postgres
import TestSupport
import Testing

@testable import Capture

/// When `runner migrate --remove` changes nothing, and what it does in databases that do not say what was made.
@Suite(.heavy)
struct RemovalRefusalTests {
  private func refusal(_ scene: RemovalScene) async throws -> String {
    let before = try await scene.dump()
    let error = await #expect(throws: MigrationError.self) { try await scene.remove() }
    #expect(try await scene.dump() == before)
    return error?.description ?? ""
  }

  @Test func aRunnerThatLivesIsNamed() async throws {
    let scene = try await RemovalScene.migrated(.feedbackKit)
    let runner = Connection(url: scene.url, applicationName: "runner listener")
    let row = try await runner.query("SELECT pg_advisory_lock(\(AdvisoryLock.life), 5), pg_backend_pid() AS pid").only()
    try await scene.connection.script(
      """
      INSERT INTO runner.runners (owner, holder, name, expires_at)
      VALUES (gen_random_uuid(), 5, 'runner-on-ada', now() + interval '1 hour')
      """)

    let reason = try await refusal(scene)

    #expect(reason.contains("runner-on-ada, session \(try row.decode("pid") as Int)"))
    await runner.close()
  }

  @Test func waitingEventsAreNamed() async throws {
    let scene = try await RemovalScene.migrated(.feedbackKit)
    try await scene.connection.script(
      "INSERT INTO feedbacks (title, user_id, project_id) SELECT 't', 'u', id FROM projects")

    #expect(try await refusal(scene).contains("feedback-created, 1 waiting"))

    #expect(try await scene.remove(evenWaiting: true).statements > 0)
    #expect(try await scene.connection.query("SELECT FROM feedbacks").count == 1)
  }

  @Test func pushesThatWaitAreNamed() async throws {
    let scene = try await RemovalScene.migrated(.feedbackKit)
    try await scene.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform) SELECT id, 'aa', 'iOS' FROM users WHERE name = 'Ada';
      INSERT INTO notifications (user_id, type, title, origin)
      SELECT user_id, 'new_feedback', 'Hello', 'function' FROM device_tokens;
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
      SELECT n.id, d.id, d.user_id, 'feedbackkit', now(), now() + interval '1 day', now(), now()
      FROM notifications n JOIN device_tokens d ON d.user_id = n.user_id;
      """)

    #expect(try await refusal(scene).contains("public.push_deliveries_by_state, 1 queued"))
  }

  @Test(arguments: [
    ("CREATE TABLE phones (id uuid REFERENCES device_tokens (id))", "phones_id_fkey on table phones"),
    ("CREATE VIEW told AS SELECT count(*) FROM deliveries", "view told"),
    ("CREATE VIEW loud AS SELECT id FROM users WHERE push_notify_votes", "view loud"),
    ("CREATE POLICY own ON projects AS RESTRICTIVE USING (owner_id = push_person())", "policy own on table projects"),
    ("ALTER TABLE projects ADD CHECK (push_uuid(name) IS NULL)", "constraint projects_name_check on table projects"),
    ("CREATE INDEX accounts ON projects (push_uuid(name))", "index accounts"),
    ("ALTER TABLE projects ALTER name SET DEFAULT push_now()::text", "column name of table projects"),
    (
      "ALTER TABLE projects ADD account uuid GENERATED ALWAYS AS (push_uuid(name)) STORED",
      "column account of table projects"
    ),
  ])
  func somethingOfTheAppsThatNeedsItIsNamed(_ script: String, _ name: String) async throws {
    let scene = try await RemovalScene.migrated(.feedbackKit)
    try await scene.connection.script(script)

    #expect(try await refusal(scene).contains(name))
  }

  @Test func aRoleThatOwnsNothingIsTold() async throws {
    let scene = try await RemovalScene.migrated(.feedbackKit)
    let name: String = try await scene.connection.query("SELECT current_database() AS name").only().decode("name")
    let role = "nobody_\(name)"
    try await scene.connection.script("CREATE ROLE \(role); SET ROLE \(role)")

    for work in [{ _ = try await scene.plan() }, { _ = try await scene.remove() }] as [() async throws -> Void] {
      let error = await #expect(throws: FunctionError.self) { try await work() }
      #expect(error?.code == .notPermitted)
    }

    try await scene.connection.script("RESET ROLE; DROP ROLE \(role)")
  }

  @Test func aTableThatStaysInUseIsGivenUp() async throws {
    let scene = try await RemovalScene.migrated(.feedbackKit)
    let reader = Connection(url: scene.url, applicationName: "reader")

    let reason = try await reader.transaction { transaction in
      _ = try await transaction.query("SELECT FROM projects")
      return try await refusal(scene)
    }

    #expect(reason.contains("A table is in use"))
  }

  /// As a version that kept no record has left it.
  private func unrecorded(_ app: RemovalScene.App) async throws -> RemovalScene {
    let scene = try await RemovalScene.migrated(app)
    try await scene.connection.script(
      "DROP TABLE runner.changes; DELETE FROM runner.migrations WHERE name = 'runner/1008_changes'")
    return scene
  }

  @Test func ofAnEarlierVersionsDatabaseColumnsOfTheAppsTablesStay() async throws {
    let scene = try await unrecorded(.lockItIn)
    let kept = try await scene.plan().kept

    try await scene.remove()

    #expect(kept.contains { $0.hasPrefix("public.users keeps ") && $0.contains("push_notify_votes") }, "\(kept)")
    #expect(kept.contains { $0.hasPrefix("public.notifications may be the app's") }, "\(kept)")
    for table in ["deliveries", "runner.events"] { #expect(try await !scene.isThere(table)) }
    #expect(try await scene.connection.query("SELECT FROM notifications WHERE title = 'Hello'").count == 1)
    // Nothing that is left of it keeps the app from writing.
    try await scene.connection.script("INSERT INTO device_tokens (user_id, device_token) SELECT id, 'cd' FROM users")
    #expect(try await scene.remove().statements == 0)
    #expect(try await scene.migrate().migrations.contains("apps/1004_devices"))
  }

  @Test func anEarlierVersionsOwnDatabaseIsEmptyAfterwards() async throws {
    let before = try await RemovalScene(.nobody).dump()
    let scene = try await unrecorded(.nobody)

    try await scene.remove()

    #expect(try await scene.dump() == before)
  }

  @Test(arguments: [[], ["--single-transaction"]])
  func ofARestoredDatabaseTablesStayUnlessItIsRecorded(_ options: [String]) async throws {
    let before = try await RemovalScene(.nobody).dump()
    for isRecorded in [true, false] {
      let scene = try await isRecorded ? RemovalScene.migrated(.nobody) : unrecorded(.nobody)
      let folder = try TemporaryDirectory()
      let file = "\(folder.path)/dump"
      let dump = try await BuiltExecutables.run(
        TemporaryPostgres.program("pg_dump"), ["--format=custom", "--file", file, "--dbname", scene.url])
      #expect(dump.exit == 0, "\(dump.stderr)")
      let copy = try await RemovalScene(.nobody)
      let restored = try await BuiltExecutables.run(
        TemporaryPostgres.program("pg_restore"), options + ["--dbname", copy.url, file])
      #expect(restored.exit == 0, "\(restored.stderr)")

      try await copy.remove()

      #expect(try await copy.isThere("deliveries") != isRecorded)
      #expect(try await !copy.isThere("runner.events"))
      if isRecorded { #expect(try await copy.dump() == before) }
    }
  }
}
