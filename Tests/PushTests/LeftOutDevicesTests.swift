import Postgres
import TestSupport
import Testing

/// Devices in an app's own table that nobody is told on.
@Suite(.heavy)
struct LeftOutDevicesTests {
  @Test func devicesThatWereLeftOutAreCountedByTheReason() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      CREATE TABLE user_devices (user_id uuid, push_token text);
      INSERT INTO user_devices VALUES
        (gen_random_uuid(), '0a0a'), (gen_random_uuid(), '0b0b'), (gen_random_uuid(), NULL);
      WITH ada AS (INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada') RETURNING id)
      INSERT INTO user_devices SELECT id, '0c0c' FROM ada;
      """)

    let findings = try await scene.findings([])

    for words in ["2 of user_devices are left out: their people", "out: they have no push_token", "out: nothing has"] {
      #expect(findings.contains { $0.contains(words) }, "\(findings)")
    }
  }
}
