import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The pages about a person or an event that has very much of something, one at a time.
@Suite(.heavy)
struct LongListTests {
  private static let person = ExplainScene.person.id

  /// Decisions about the person, several of each moment, so that moments lie across the borders of pages.
  private static func decisions(_ count: Int, ofEachMoment ties: Int) -> String {
    """
    INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, reason, recipient_reason,
        created_at)
    SELECT CASE n % 2 WHEN 0 THEN 'vote-cast' ELSE 'comment-added' END, '/t', 'e' || n, '\(person)', 's', 'new_vote',
      CASE WHEN n % 10 = 0 THEN 'suppress' ELSE 'notify' END, CASE WHEN n % 10 = 0 THEN 'project_muted' END, 'submitter',
      date_trunc('second', now()) - interval '1 s' * (n / \(ties))
    FROM generate_series(1, \(count)) AS n
    """
  }

  /// The decisions of all pages, one after the other; each is its event.
  private static func pages(_ scene: ExplainScene, _ words: [String]) async throws -> [[RawJSON]] {
    var (pages, next): ([[RawJSON]], String?) = ([], nil)
    repeat {
      let page = try await scene.json(["people", person] + words + (next.map { ["--before", $0] } ?? []))["page"]
      pages.append(page?["decisions"]?.elements ?? [])
      next = page?["next"]?.stringValue
    } while next != nil && pages.count < 20
    return pages
  }

  @Test func aPersonsDecisionsAreWholeOverAllPages() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(Self.decisions(177, ofEachMoment: 7))

    let pages = try await Self.pages(scene, [])

    #expect(pages.map(\.count) == [50, 50, 50, 27])
    let events = pages.joined().compactMap { $0["event"]?.stringValue }
    #expect(events.count == 177 && Set(events) == Set((1...177).map { "e\($0)" }))
    let times = pages.joined().compactMap { $0["at"]?.stringValue }
    #expect(times == times.sorted(by: >))
  }

  @Test func whatComesWhileSomebodyReadsMovesNoPage() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(Self.decisions(60, ofEachMoment: 1))
    let first = try #require(try await scene.json(["people", Self.person])["page"])
    let next = try #require(first["next"]?.stringValue)
    try await scene.connection.script(
      """
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, recipient_reason, created_at)
      SELECT 'vote-cast', '/t', 'new' || n, '\(Self.person)', 's', 'new_vote', 'notify', 'submitter', now()
      FROM generate_series(1, 30) AS n
      """)

    let second = try #require(try await scene.json(["people", Self.person, "--before", next])["page"])

    let events = second["decisions"]?.elements?.compactMap { $0["event"]?.stringValue }
    #expect(events == (51...60).map { "e\($0)" } && second["next"] == nil && second["total"]?.intValue == 90)
  }

  @Test func decisionsOfOneOutcomeAreLookedForBehindThePage() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(Self.decisions(450, ofEachMoment: 3))

    let pages = try await Self.pages(scene, ["--outcome", "not_told"])
    let text = try await scene.text(["people", Self.person, "--outcome", "not_told"])

    let events = pages.joined().compactMap { $0["event"]?.stringValue }
    #expect(events.count == 45 && Set(events) == Set((1...45).map { "e\($0 * 10)" }))
    // A page looks through 200.
    #expect(pages.map(\.count) == [20, 20, 5], "\(pages.map(\.count))")
    #expect(text.contains("and others before, of 450 in all; --since, --app and --outcome narrow it down."))
  }

  @Test func whatIsFoundBehindNoPageIsSaid() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      \(Self.decisions(250, ofEachMoment: 1));
      UPDATE decisions SET decision = 'notify', reason = NULL WHERE user_id = '\(Self.person)'
      """)

    let first = try await scene.text(["why", Self.person, "--since", "7d", "--outcome", "not_told"])
    let next = try #require(
      try await scene.json(["why", Self.person, "--since", "7d", "--outcome", "not_told"])["next"]?.stringValue)
    let last = try await scene.text(["people", Self.person, "--outcome", "not_told", "--before", next])

    #expect(first.contains("None of those looked through has this outcome; older ones may"), "\(first)")
    #expect(last.contains("None of the 250 decisions about them since "), "\(last)")
  }

  @Test(arguments: [
    "x", "[]", #"["now","a","b","c","d"]"#, #"["2026-01-01 00:00:00+00","a","b","c"]"#,
    #"["2026-13-45 00:00:00+00","a","b","c","d"]"#, #"["2026-02-30 00:00:00+00","a","b","c","d"]"#,
    #"["2026-01-01 24:01:00+00","a","b","c","d"]"#, #"["0000-01-01 00:00:00+00","a","b","c","d"]"#,
    #"["2026-01-01 00:00:00+00","a","b","c","d\u0000"]"#,
    #"["a\u0000","b","c","a0000000-0000-4000-8000-000000000001","d"]"#,
    #"["2026-01-01 00:00:00+00","a","b","c","d",1]"#,
  ])
  func aPlaceThatNoListHasIsRefused(place: String) async throws {
    let scene = try await ExplainScene()

    let people = try await scene.run(["people", Self.person, "--before", place])
    let event = try await scene.run(["why", "e1", "--after", place])
    let devices = try await scene.run(["people", Self.person, "--app", "feedbackkit", "--devices-after", place])

    #expect(people.exit == 64 && people.stderr.contains("--before takes the"), "\(people)")
    #expect(event.exit == 64 && event.stderr.contains("--after takes the"), "\(event)")
    #expect(devices.exit == 64 && devices.stderr.contains("--devices-after takes the"), "\(devices)")
  }

  @Test func countsEndAtTenThousand() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform)
        SELECT '\(Self.person)', md5(n::text) || md5('x' || n), 'iOS' FROM generate_series(1, 10050) n;
      \(Self.decisions(10_050, ofEachMoment: 100));
      INSERT INTO notifications (user_id, app, type, title)
        SELECT '\(Self.person)', 'feedbackkit', 'new_vote', 'New Vote' FROM generate_series(1, 10050);
      """)

    let page = try #require(try await scene.json(["people", Self.person])["page"])
    let text = try await scene.text(["people", Self.person])

    let app = try #require(page["apps"]?.elements?.first { $0["app"]?.stringValue == "feedbackkit" })
    #expect(page["total"]?.intValue == 10_001 && app["badge"]?.intValue == 10_001)
    #expect(app["deviceCount"]?.intValue == 10_001 && app["devices"]?.elements?.count == 20)
    #expect(text.contains("· badge 10,000+ ·") && text.contains("    20 of 10,000+ devices"))
    #expect(text.contains("and others before, of 10,000+ in all"))
    let badge: Int = try await scene.connection.query(
      "SELECT push_badge(\(Self.person)::uuid, 'feedbackkit') AS badge"
    ).only().decode("badge")
    #expect(badge == 10_050, "a push has the whole number")
  }

  @Test func aPersonsDevicesAreWholeOverAllPages() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform, is_active)
        SELECT '\(Self.person)', md5(n::text) || md5('x' || n), 'iOS', n % 3 > 0 FROM generate_series(1, 55) n
      """)
    let all: Int = try await scene.connection.query(
      """
      SELECT count(*) AS n FROM device_tokens WHERE user_id = \(Self.person)::uuid AND app = 'feedbackkit'
      """
    ).only().decode("n")

    var (devices, next): ([RawJSON], String?) = ([], nil)
    repeat {
      let words = ["people", Self.person, "--app", "feedbackkit"] + (next.map { ["--devices-after", $0] } ?? [])
      let app = try #require(try await scene.json(words)["page"]?["apps"]?.elements?.first)
      #expect(app["deviceCount"]?.intValue == all)
      devices += app["devices"]?.elements ?? []
      next = app["nextDevices"]?.stringValue
      // The list goes on where it was, although its last device is not active any more.
      try await scene.connection.script(
        """
        UPDATE device_tokens SET is_active = false WHERE id = '\(devices.last?["device"]?["id"]?.stringValue ?? "")'
        """)
    } while next != nil && devices.count < 200

    let ids = devices.compactMap { $0["device"]?["id"]?.stringValue }
    #expect(Set(ids).count == all && Set(ids.prefix(20)).count == 20)
    let active = devices.map { $0["isActive"] == RawJSON(true) }
    #expect(active == active.sorted { $0 && !$1 }, "the active ones come first")
    let last = try #require(devices.last?["device"]?["id"]?.stringValue)
    let end = try await scene.text(
      ["people", Self.person, "--app", "feedbackkit", "--devices-after", "inactive:\(last)"])
    #expect(end.contains("    no more devices"), "\(end)")
    let anyApp = try await scene.run(["people", Self.person, "--devices-after", "inactive:\(last)"])
    #expect(anyApp.exit == 64 && anyApp.stderr.contains("--devices-after needs --app."), "\(anyApp)")
  }

  @Test func eachPartOfAnEventHasAListOfItsOwn() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO users (id, email, name)
        SELECT ('b0000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'm' || n || '@example.com', 'Many ' || n
        FROM generate_series(1, 60) n;
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, recipient_reason, created_at)
        SELECT 'status-changed', '/t', part, ('b0000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 's',
          'status_change', 'notify', 'voter', now()
        FROM generate_series(1, 60) n CROSS JOIN unnest(ARRAY['all', 'all/lead']) part
        WHERE part = 'all' OR n > 30;
      INSERT INTO handled_events (function, source, event_id, result, created_at)
        SELECT 'status-changed', '/t', e, '{}', now() FROM unnest(ARRAY['all', 'all/lead', 'other']) e;
      """)
    let first = try await scene.json(["why", "all", "--count", "10"])["handlings"]?.elements ?? []
    #expect(first.count == 2)

    for (part, count) in zip(first, [60, 30]) {
      var (people, next) = (part["people"]?.elements ?? [], part["next"]?.stringValue)
      while let place = next, people.count < 100 {
        let handlings = try await scene.json(["why", "all", "--count", "10", "--after", place])["handlings"]?.elements
        let rest = try #require(handlings?.count == 1 ? handlings?[0] : nil)
        #expect(rest["event"] == part["event"])
        people += rest["people"]?.elements ?? []
        next = rest["next"]?.stringValue
      }
      let ids = Set(people.compactMap { $0["person"]?["id"]?.stringValue })
      #expect(part["next"] != nil && ids.count == count, "\(ids.count) of \(count)")
    }
    let place = try #require(first[0]["next"]?.stringValue)
    let other = try await scene.run(["why", "other", "--after", place])
    #expect(other.exit == 64 && other.stderr.contains("a list of another event"), "\(other)")
  }

  @Test func onePersonsManyDecisionsAboutAnEventAreWholeOverAllPages() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, recipient_reason, created_at)
        SELECT 'status-changed', '/t', 'all', '\(Self.person)', 's' || n, 'status_change', 'notify', 'voter', now()
        FROM generate_series(1, 25) n;
      INSERT INTO handled_events (function, source, event_id, result, created_at)
        VALUES ('status-changed', '/t', 'all', '{}', now());
      """)

    var (subjects, next, pages): ([String], String?, Int) = ([], nil, 0)
    repeat {
      let words = ["why", "all", "--user", Self.person, "--count", "10"] + (next.map { ["--after", $0] } ?? [])
      let handling = try #require(try await scene.json(words)["handlings"]?.elements?.first)
      subjects += (handling["people"]?.elements ?? []).compactMap { $0["subject"]?.stringValue }
      next = handling["next"]?.stringValue
      pages += 1
    } while next != nil && pages < 10

    #expect(pages == 3 && subjects.count == 25 && Set(subjects).count == 25)
  }

  @Test func anEventsPeopleAreWholeOverAllPages() async throws {
    let scene = try await ExplainScene()
    // Those whom one reason stops come last by their ids, and first on the page.
    try await scene.connection.script(
      """
      INSERT INTO users (id, email, name)
        SELECT ('b0000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'm' || n || '@example.com', 'Many ' || n
        FROM generate_series(1, 95) n;
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, reason, recipient_reason,
          created_at)
        SELECT 'status-changed', '/t', 'all', ('b0000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, s,
          'status_change', CASE WHEN n > 90 THEN 'suppress' ELSE 'notify' END,
          CASE WHEN n > 90 THEN 'project_muted' END, 'voter', now()
        FROM generate_series(1, 95) n CROSS JOIN unnest(ARRAY['a', 'b c']) s;
      INSERT INTO handled_events (function, source, event_id, result, created_at)
        VALUES ('status-changed', '/t', 'all', '{}', now());
      """)

    var (people, next, pages): ([RawJSON], String?, Int) = ([], nil, 0)
    repeat {
      let words = ["why", "all", "--count", "40"] + (next.map { ["--after", $0] } ?? [])
      let handling = try #require(try await scene.json(words)["handlings"]?.elements?.first)
      let page = handling["people"]?.elements ?? []
      #expect(handling["counts"]?.elements?.compactMap { $0["people"]?.intValue } == [180, 10])
      #expect(page.count <= 40)
      people += page
      next = handling["next"]?.stringValue
      pages += 1
    } while next != nil && pages < 20

    let keys = people.map { "\($0["person"]?["id"]?.stringValue ?? "") \($0["subject"]?.stringValue ?? "")" }
    #expect(pages == 5 && Set(keys).count == 190, "\(pages) pages, \(Set(keys).count) decisions")
    #expect(people.prefix(2).map { $0["outcome"]?.stringValue } == ["told", "not_told"])
    // Only the two examples stand there again.
    #expect(keys.count <= 192)
  }

  @Test func pushesToManyDevicesAreNotAllListed() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.vote(1, at: .now)
    try await scene.connection.script(
      """
      WITH devices AS (
        INSERT INTO device_tokens (user_id, token, platform)
        SELECT '\(Self.person)', md5(n::text) || md5('x' || n), 'iOS' FROM generate_series(1, 60) n RETURNING id)
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
      SELECT v.notification_id, d.id, v.user_id, v.app, v.not_before, v.expires_at, v.created_at, v.updated_at
      FROM deliveries v, devices d
      """)

    let page = try #require(try await scene.json(["people", Self.person])["page"])
    let text = try await scene.text(["why", Self.person])

    let decision = try #require(page["decisions"]?.elements?.first)
    #expect(decision["pushes"]?.elements?.count == 20 && decision["hasMorePushes"] == RawJSON(true))
    #expect(text.contains("queued for 20 devices, and others"), "\(text)")
  }
}
