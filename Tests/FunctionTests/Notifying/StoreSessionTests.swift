import FunctionKit
import Postgres
import TestSupport
import Testing

@testable import StatusChanged
@testable import StoreLive

/// How the server plans the statements of functions that tell people something.
@Suite(.heavy)
struct StoreSessionTests {
  private func store(_ demo: Demo) throws -> NotificationStore {
    try .live(Environment(["DATABASE_URL": demo.url]), name: StatusChanged.name)
  }

  @Test func plansAreGenericUncompiledAndScanNothingWhateverTheServersDefaults() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET jit = on', current_database());
        EXECUTE format('ALTER DATABASE %I SET enable_seqscan = on', current_database());
        EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = auto', current_database());
      END $$
      """)

    let settings = try await store(demo).connection.query(
      """
      SELECT current_setting(name) AS value, reset_val FROM pg_settings
      WHERE name IN ('enable_seqscan', 'jit', 'plan_cache_mode') ORDER BY name
      """)

    #expect(try settings.decode("value", as: String.self) == ["off", "off", "force_generic_plan"])
    #expect(try settings.decode("reset_val", as: String.self) == ["on", "on", "auto"])
  }
}
