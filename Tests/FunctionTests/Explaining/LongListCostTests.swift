import FunctionKit
import Postgres
import TestSupport
import Testing

/// How much of the database is read for a page about a person or an event that has very much of it.
///
/// Nothing has been analyzed: the plans know no more of the tables than their sizes.
@Suite(.heavy)
struct LongListCostTests {
  private static let person = ExplainScene.person.id

  /// How many rows and pages of tables, and pages of their indexes, all sessions have read.
  private static func reading(_ scene: ExplainScene, of tables: [String]) async throws -> (rows: Int, pages: Int) {
    try await scene.policy.demo.functionsHaveEnded()
    let row = try await scene.connection.query(
      """
      SELECT sum(t.seq_tup_read + coalesce(t.idx_tup_fetch, 0))::bigint AS rows,
        sum(i.heap_blks_hit + i.heap_blks_read + coalesce(i.idx_blks_hit + i.idx_blks_read, 0))::bigint AS pages
      FROM pg_stat_user_tables t JOIN pg_statio_user_tables i USING (relid) WHERE t.relname = ANY (\(tables))
      """
    ).only()
    return (try row.decode("rows"), try row.decode("pages"))
  }

  private static func reading(
    _ scene: ExplainScene, of tables: [String], for words: [String]
  ) async throws -> (rows: Int, pages: Int) {
    let before = try await reading(scene, of: tables)
    _ = try await scene.json(words)
    let after = try await reading(scene, of: tables)
    return (after.rows - before.rows, after.pages - before.pages)
  }

  @Test func aPersonsPageReadsWhatItShows() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO users (id, email, name)
        SELECT md5('many' || n)::uuid, 'many' || n || '@example.com', 'Many ' || n FROM generate_series(1, 5000) n;
      INSERT INTO notifications (user_id, app, type, title, is_read)
        SELECT '\(Self.person)', 'feedbackkit', 'new_vote', 'New Vote', true FROM generate_series(1, 20000);
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, recipient_reason, created_at)
        SELECT 'vote-cast', '/t', 'e' || n, '\(Self.person)', 's', 'new_vote', 'notify', 'submitter',
          now() - interval '1 s' * n - CASE WHEN n > 100 THEN interval '8 days' ELSE interval '0' END
        FROM generate_series(1, 20000) n;
      """)
    let tables = ["users", "notifications", "decisions"]

    let first = try await Self.reading(scene, of: tables, for: ["people", Self.person])
    let next = try #require(try await scene.json(["people", Self.person])["page"]?["next"]?.stringValue)
    let second = try await Self.reading(scene, of: tables, for: ["people", Self.person, "--before", next])

    #expect(first.rows < 1_000 && first.pages < 2_000, "\(first)")
    #expect(second.rows < 1_000 && second.pages < 2_000, "\(second)")
  }

  @Test func aPersonsLanguageIsReadFromTheActiveDevicesThatSayOne() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform, is_active, locale)
        SELECT '\(Self.person)', 'device ' || n, 'iOS', n > 4000, CASE WHEN n <= 4000 THEN 'de' END
        FROM generate_series(1, 8000) n;
      INSERT INTO device_tokens (user_id, token, platform, locale, registered_at) VALUES
        ('\(Self.person)', 'first', 'iOS', 'ja', now() - interval '2 days'),
        ('\(Self.person)', 'last', 'iOS', 'fr-CA', now() - interval '1 day');
      """)
    // The devices are counted in an index then.
    try await scene.connection.script("VACUUM device_tokens")

    let reading = try await Self.reading(scene, of: ["device_tokens"], for: ["people", Self.person])
    let app = try await scene.json(["people", Self.person])["page"]?["apps"]?.elements?.first

    #expect(reading.rows < 100 && reading.pages < 1_000, "\(reading)")
    #expect(app?["language"]?["tag"]?.stringValue == "fr-CA" && app?["deviceCount"]?.intValue ?? 0 > 8_000)
  }

  @Test func aPageOfOneAppReadsNothingBeforeTheTimeThatIsChosen() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO decisions (
        function, source, event_id, user_id, subject_id, app, kind, decision, recipient_reason, created_at)
        SELECT 'proposal-created', '/t', 'e' || n, '\(Self.person)', 's',
          CASE WHEN n % 10000 = 0 THEN 'lockitin' ELSE 'feedbackkit' END, 'proposal_created', 'notify', 'member',
          now() - interval '8 days' - interval '1 s' * n
        FROM generate_series(1, 20000) n;
      """)
    let words = ["people", Self.person, "--app", "lockitin"]

    let reading = try await Self.reading(scene, of: ["decisions"], for: words)
    let page = try await scene.json(words + ["--since", "30d"])["page"]

    #expect(reading.rows < 100 && reading.pages < 1_000, "\(reading)")
    #expect(page?["decisions"]?.elements?.compactMap { $0["event"]?.stringValue } == ["e10000", "e20000"])
  }

  @Test func anEventIsFoundAmongManyWithoutReadingThem() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO handled_events (function, source, event_id, result, created_at)
        SELECT 'vote-cast', '/t', 'e' || n, '{}', now() FROM generate_series(1, 20000) n;
      """)

    let reading = try await Self.reading(scene, of: ["handled_events"], for: ["why", "e7"])

    #expect(reading.rows < 100 && reading.pages < 1_000, "\(reading)")
  }

  @Test func aProgramThatStaysCountsVeryManyPeopleOfAnEventOnce() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      \(Self.decisions("all", of: 10_000))
      INSERT INTO handled_events (function, source, event_id, result, created_at)
        VALUES ('status-changed', '/t', 'all', '{}', now());
      """)
    let program = try StreamedFunction("push", environment: ["DATABASE_URL": scene.policy.demo.url])

    let before = try await Self.reading(scene, of: ["decisions"])
    let first = try await Self.handling(of: "all", program)
    let second = try await Self.handling(of: "all", program)
    try program.close()
    let after = try await Self.reading(scene, of: ["decisions"])

    #expect(after.rows - before.rows < 15_000, "\(after) \(before)")
    #expect(first == second)
    #expect(first["counts"]?.elements?.compactMap { $0["people"]?.intValue } == [9_990, 9, 1])
    // Somebody of each group comes first, in the order of their ids.
    let examples = (first["people"]?.elements ?? []).prefix(3)
    let ids = examples.compactMap { $0["person"]?["id"]?.stringValue }
    #expect(ids.count == 3 && ids == ids.sorted())
    #expect(Set(examples.map { $0["verdict"]?["reason"]?.stringValue }) == [nil, "no_device", "project_muted"])
  }

  @Test func thePeopleOfAnEventThatGoesOnAreCountedAgain() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      \(Self.decisions("all", of: 10_000))
      INSERT INTO handled_events (function, source, event_id, created_at) VALUES ('status-changed', '/t', 'all', now());
      """)
    let program = try StreamedFunction("push", environment: ["DATABASE_URL": scene.policy.demo.url])

    let first = try await Self.handling(of: "all", program)
    try await scene.connection.script(Self.decisions("all", after: 10_000, of: 10_001))
    let second = try await Self.handling(of: "all", program)

    #expect(first["counts"]?.elements?.first?["people"]?.intValue == 9_990)
    #expect(second["counts"]?.elements?.first?["people"]?.intValue == 9_991)
  }

  /// Decisions about people: nine have no device, one has muted it, and the others are told.
  private static func decisions(_ event: String, after first: Int = 0, of count: Int) -> String {
    """
    INSERT INTO decisions (
      function, source, event_id, user_id, subject_id, kind, decision, reason, recipient_reason, created_at)
      SELECT 'status-changed', '/t', '\(event)', md5('many' || n)::uuid, 's', 'status_change',
        CASE WHEN n <= 9 OR n = 9999 THEN 'suppress' ELSE 'notify' END,
        CASE WHEN n <= 9 THEN 'no_device' WHEN n = 9999 THEN 'project_muted' END, 'voter', now()
      FROM generate_series(\(first + 1), \(count)) n;
    """
  }

  /// What a program that stays says of the only function that got an event.
  private static func handling(of event: String, _ program: StreamedFunction) async throws -> RawJSON {
    let words = RawJSON(array: ["why", event, "--json"].map { RawJSON($0) })
    let line = RawJSON(object: [
      ("specversion", RawJSON("1.0")), ("id", RawJSON("q")), ("source", RawJSON("/console")),
      ("type", RawJSON("dev.push-functions.call")), ("data", RawJSON(object: [("words", words)])),
    ])
    let answer = try #require(try await program.answers(to: [String(decoding: line.bytes, as: UTF8.self)]).first)
    let document = try RawJSON(validating: Array(answer.utf8)[...])
    return try #require(document["result"]?["handlings"]?.elements?.first, "\(answer)")
  }

  @Test func anAppIsShownOfWhichSomebodyHasOnlyWhatWasPushedOrLiesInTheInbox() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO users (id, email, name) VALUES ('b0000000-0000-4000-8000-000000000001', 'b@example.com', 'B');
      INSERT INTO notifications (user_id, app, type, title, is_archived, pushed_at) VALUES
        ('b0000000-0000-4000-8000-000000000001', 'mugshot', 'new_follower', 'A', true, now()),
        ('b0000000-0000-4000-8000-000000000001', 'lockitin', 'event_confirmed', 'B', false, NULL);
      """)

    let page = try await scene.json(["people", "b@example.com"])["page"]

    #expect(page?["apps"]?.elements?.compactMap { $0["app"]?.stringValue }.sorted() == ["lockitin", "mugshot"])
  }

  @Test func anIdFindsItsPersonAndElseThoseWhoseAddressHasIt() async throws {
    let scene = try await ExplainScene()
    let id = "b0000000-0000-4000-8000-000000000001"
    try await scene.connection.script(
      """
      INSERT INTO users (id, email, name) VALUES (md5('other')::uuid, '\(id)@example.com', 'Önder Ünal')
      """)

    let found = try await scene.json(["people", id.uppercased(), "--list"])["found"]?.elements
    let own = try await scene.json(["people", Self.person, "--list"])["found"]?.elements

    #expect(found?.compactMap { $0["name"]?.stringValue } == ["Önder Ünal"])
    #expect(own?.compactMap { $0["id"]?.stringValue } == [Self.person])
  }
}
