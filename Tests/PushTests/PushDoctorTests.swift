import Foundation
import FunctionKit
import HTTP2
import Postgres
import Signing
import TestSupport
import Testing

/// The doctor's findings when it asks nobody outside.
@Suite(.heavy)
struct PushDoctorTests {
  @Test func whereNothingIsMissingItSaysSoAndAsksNobody() async throws {
    let scene = try await DoctorScene()

    let outcome = try await scene.examine()

    #expect(outcome.exit == 0, "\(outcome.stdout)")
    for line in [
      "key ABC123DEFG for com.example.app in sandbox", "readable, by its owner alone",
      "project test-project for all apps, as sender@test-project", "agrees with the database",
      "there, with the rights to use them", "0 active, all with a key", "0 deliveries wait",
    ] {
      #expect(outcome.stdout.contains(line), "\(line) in \(outcome.stdout)")
    }
    #expect(!outcome.stdout.contains("MISSING") && scene.requests.isEmpty)
  }

  @Test func eitherProviderAloneIsEnoughButOneIsNeeded() async throws {
    let scene = try await DoctorScene()
    let apns = ["APNS_KEY_ID", "APNS_TEAM_ID", "APNS_KEY_PATH"].reduce(into: [:]) { $0[$1] = "" }
    let fcm = ["FCM_SERVICE_ACCOUNT_PATH": ""]

    #expect(try await scene.examine([], apns).exit == 0)
    #expect(try await scene.examine([], fcm).exit == 0)
    let neither = try await scene.examine([], apns.merging(fcm) { $1 })
    #expect(neither.exit == 78 && neither.stdout.contains("MISSING  provider"))
  }

  @Test func textsThatNobodyIsToldAreNamedByTheirLines() async throws {
    let scene = try await DoctorScene()
    let folder = try TemporaryDirectory()
    try folder.write(
      """
      feedbackkit.new_vote.title = Eine Stimme!

      unknown.text = x
      feedbackkit.new_vote.body[other] = {count} {sum}
      page.on.titel = Aus?

      """, to: "de.strings")
    let variables = ["PUSH_LANGUAGES": folder.path]

    let all = try await scene.findings([], variables)
    let findings = try await scene.findings(["--languages"], variables)

    #expect(
      findings == [
        "MISSING languages: de.strings:3 has unknown.text, which is no text's name: nobody is told it",
        "MISSING languages: de.strings:4 has {sum}, which feedbackkit.new_vote.body does not have in English: "
          + "nobody is told it",
        "MISSING languages: de.strings:5 has page.on.titel, which is no text's name (did you mean page.on.title?): "
          + "nobody is told it",
      ])
    #expect(all.filter { $0.contains("languages:") } == findings)
    try folder.write("page.on.title = Aus?\n", to: "de.strings")
    #expect(
      try await scene.findings(["--languages"], variables) == ["ok languages: every line of \(folder.path) can be told"]
    )
  }

  @Test func channelsThatMayBeLeftAtAPNsAreCounted() async throws {
    let scene = try await DoctorScene()
    func findings() async throws -> [String] { try await scene.findings().filter { $0.contains("activities:") } }
    let before = try await findings()
    try await scene.database.script(
      """
      INSERT INTO activity_channels (
        app, attributes_type, subject_id, topic, environment, state, reason, expires_at)
      SELECT 'lockitin', 'ProposalActivityAttributes', n::text, 'com.example.app', 'sandbox', 'refused',
        CASE WHEN n < 3 THEN 'answer lost' ELSE 'TopicDisallowed' END, now()
      FROM generate_series(1, 3) n
      """)

    let lost = try await findings()

    #expect(before == [])
    #expect(lost.count == 1 && lost[0].contains("no answer about 2 broadcast channels"))
  }

  @Test func channelsThatWaitForAPNsAreCountedWithWhatToDo() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      INSERT INTO activity_channels (
        app, attributes_type, subject_id, topic, environment, state, wanted_stamp, said_stamp, expires_at, updated_at)
      SELECT 'lockitin', 'ProposalActivityAttributes', n::text, 'com.example.app', 'sandbox', r.state, r.wanted, 5, now(),
        push_now() - r.age
      FROM (VALUES
        (1, 'live', 6, interval '2 hours'), (2, 'closing', 5, interval '90 minutes'), (3, 'live', 5, interval '2 hours'),
        (4, 'live', 6, interval '50 minutes'), (5, 'gone', 6, interval '2 hours')) AS r (n, state, wanted, age)
      """)

    let stuck = try await scene.findings().filter { $0.contains("activities:") }

    #expect(stuck.count == 1 && stuck[0].contains("broadcast channels for which APNs has not done what they ask: 2, "))
    #expect(stuck[0].contains("runner events retry --function activity-channels"))
  }

  @Test func proposalsWhoseActivitiesCannotBeToldAreCounted() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      INSERT INTO activity_changes (app, subject_id, due_at, failing_since)
      VALUES ('lockitin', 'b', now(), '2030-01-02 00:00Z'), ('lockitin', 'a', now(), '2030-01-01 00:00Z'),
        ('lockitin', 'a', now(), '2030-01-01 00:00Z'), ('lockitin', 'c', now(), NULL)
      """)

    let failing = try await scene.findings().filter { $0.contains("activities:") }

    #expect(failing.count == 1 && failing[0].contains("cannot be told: 2, the first a since 2030-01-01T00:00:00"))
  }

  @Test func aKindThatThereIsNoneOfGetsNoFunctionForWhatStaysUnread() async throws {
    let scene = try await DoctorScene()
    func findings(_ kind: String) async throws -> [String] {
      let rule = #"[{"app":"feedbackkit","kind":"\#(kind)","after":60,"function":"mail-unread"}]"#
      return try await scene.findings([], ["PUSH_UNREAD_RULES": rule]).filter { $0.contains("unread:") }
    }

    let early = try await findings("new_vote")
    try await scene.database.script(
      """
      INSERT INTO unread_rules (app, kind, function, after_seconds, confirmed_at)
      VALUES ('feedbackkit', 'new_vote', 'mail-unread', 60, now())
      """)
    let right = try await findings("new_vote")
    let wrong = try await findings("vote")

    #expect(right == ["ok unread: given when it stays unread: feedbackkit's new_vote to mail-unread"])
    #expect(early.count == 2 && early[1].hasPrefix("warning unread: the database has another rule or none for"))
    #expect(wrong.count == 1 && wrong[0].hasPrefix("MISSING unread: \"kinds\" of functions.json names vote, which"))
  }

  @Test func anAppWhoseTokensForLiveActivitiesAreAllRefusedIsNamed() async throws {
    let scene = try await DoctorScene()
    func findings() async throws -> [String] { try await scene.findings().filter { $0.contains("activities:") } }
    try await scene.database.script(
      """
      WITH ada AS (INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada') RETURNING id),
        phones AS (
          INSERT INTO device_tokens (user_id, token, platform, app)
          SELECT id, md5(n::text), 'iOS', 'lockitin' FROM ada, generate_series(1, 3) n RETURNING id, user_id)
      INSERT INTO live_activities (device_token_id, user_id, app, attributes_type, ended_at, ended_reason)
        SELECT id, user_id, 'lockitin', 'ProposalActivityAttributes', now(), 'BadDeviceToken' FROM phones
      """)

    let refused = try await findings()
    try await scene.database.script(
      """
      UPDATE live_activities SET ended_reason = NULL, last_accepted_at = now()
      WHERE id = (SELECT id FROM live_activities LIMIT 1)
      """)

    #expect(refused.count == 1 && refused[0].hasPrefix("warning activities: APNs has refused each token that starts"))
    #expect(refused[0].contains("lockitin's Live Activities, 3 in all, mostly for BadDeviceToken"))
    #expect(try await findings().isEmpty)
  }

  @Test func namesEachMistakeOfTheConfigurationOnALineOfItsOwn() async throws {
    let scene = try await DoctorScene()

    let findings = try await scene.findings(
      [], ["APNS_TEAM_ID": "short", "APNS_KEY_PATH": "/nonexistent.p8", "FCM_SERVICE_ACCOUNT_PATH": "/no.json"])

    #expect(
      findings.prefix(3) == [
        "MISSING APNs: APNS_TEAM_ID must be the 10 letters and digits of the team's id",
        "MISSING APNs: APNS_KEY_PATH must name a .p8 file for ES256, and names a file that does not exist",
        "MISSING FCM: FCM_SERVICE_ACCOUNT_PATH names a file that does not exist",
      ])
  }

  @Test func aKeyOfAnotherKindIsNoKey() async throws {
    let scene = try await DoctorScene()
    let path = try scene.directory.write(TestServiceAccount.rsaKey, to: "rsa.p8")

    let findings = try await scene.findings([], ["APNS_KEY_PATH": path])

    #expect(findings.contains { $0.hasPrefix("MISSING APNs: APNS_KEY_PATH") && $0.contains("ES256") })
  }

  @Test(arguments: [(0o644, "everybody"), (0o640, "others than its owner")])
  func aSecretThatOthersCanReadIsAWarning(mode: UInt32, readers: String) async throws {
    let scene = try await DoctorScene()
    let names = [try #require(scene.environment["APNS_KEY_PATH"]), "\(scene.directory.path)/account.json"]
    for name in names { chmod(name, mode) }

    let findings = try await scene.findings()

    for (check, name) in zip(["APNs key", "FCM account"], names) {
      #expect(findings.contains("warning \(check): \(name) is open to \(readers): chmod 600"))
    }
    #expect(try await scene.examine().exit == 0)
  }

  @Test func aKeyThatIsNamedForAnotherIsAWarning() async throws {
    let scene = try await DoctorScene()
    let path = try scene.directory.write(try SigningKey.generate().privatePEM(), to: "AuthKey_OTHER12345.p8")

    let findings = try await scene.findings([], ["APNS_KEY_PATH": path])

    #expect(findings.contains { $0.hasPrefix("warning APNs key") && $0.contains("named for the key OTHER12345") })
  }

  @Test func aTableThatIsNotThereIsMissing() async throws {
    let scene = try await DoctorScene()
    _ = try await scene.database.query("DROP TABLE deliveries CASCADE")

    let outcome = try await scene.examine()

    #expect(outcome.exit == 78 && outcome.stdout.contains("deliveries is not there: runner migrate"))
  }

  @Test func rightsThatAreLackingAreNamed() async throws {
    let scene = try await DoctorScene()
    let role = "r\(UUID().uuidString.lowercased().prefix(8))"
    try await scene.database.script(
      "CREATE ROLE \(role); GRANT SELECT ON deliveries, device_tokens, notifications TO \(role);")
    let url = try #require(scene.environment["DATABASE_URL"])
    let separator = url.contains("?") ? "&" : "?"

    let findings = try await scene.findings([], ["DATABASE_URL": "\(url)\(separator)options=-crole%3D\(role)"])
    try await scene.database.script("DROP OWNED BY \(role); DROP ROLE \(role);")

    let grant = "GRANT UPDATE ON deliveries TO \(role)"
    #expect(findings.contains("MISSING table: \(role) lacks rights on deliveries: \(grant)"))
    #expect(findings.contains { $0.contains("GRANT INSERT ON push_notification_logs") })
  }

  @Test func aDatabaseThatIsNotThereIsMissing() async throws {
    let scene = try await DoctorScene()

    let outcome = try await scene.examine([], ["DATABASE_URL": "postgresql:///x?host=/nonexistent"])

    #expect(outcome.exit == 78 && outcome.stdout.contains("MISSING  database"))
  }

  /// An app's own row may not say whether the device is active: then it is.
  @Test(arguments: ["true", "NULL"]) func devicesThatNobodyServesAreCounted(isActive: String) async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      ALTER TABLE device_tokens ALTER is_active DROP NOT NULL, ALTER is_active SET DEFAULT \(isActive);
      INSERT INTO users (id, email, name) VALUES ('a0000000-0000-4000-8000-000000000001', 'a@example.com', 'Ada');
      INSERT INTO device_tokens (user_id, token, platform, app, provider)
      SELECT 'a0000000-0000-4000-8000-000000000001', n::text, 'android', 'messageai', 'fcm' FROM generate_series(1, 3) n;
      """)

    let served = try await scene.findings()
    let unserved = try await scene.findings([], ["FCM_SERVICE_ACCOUNT_PATH": ""])
    try scene.directory.write(#"{"accounts":[{"app":"mugshot","path":"account.json"}]}"#, to: "list.json")
    let others = try await scene.findings(
      [],
      [
        "FCM_SERVICE_ACCOUNT_PATH": "",
        "FCM_SERVICE_ACCOUNTS_PATH": "\(scene.directory.path)/list.json",
      ])

    #expect(served.contains("ok devices: 3 active, all with a key or an account"))
    #expect(
      unserved.contains(
        "warning devices: 3 of messageai wait: FCM is not configured: set FCM_SERVICE_ACCOUNT_PATH"))
    #expect(others.contains("warning devices: 3 of messageai wait: no FCM service account serves messageai"))
  }

  @Test func heldDeliveriesAreNamedWithTheirReason() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      INSERT INTO users (id, email, name) VALUES ('a0000000-0000-4000-8000-000000000001', 'a@example.com', 'Ada');
      INSERT INTO device_tokens (user_id, token, platform)
      SELECT 'a0000000-0000-4000-8000-000000000001', n::text, 'iOS' FROM generate_series(1, 4) n;
      INSERT INTO notifications (id, user_id, type, title)
      VALUES ('b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'new_vote', 'Hi');
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, reason, not_before, expires_at, created_at,
        updated_at)
      SELECT 'b0000000-0000-4000-8000-000000000001', id, user_id, 'feedbackkit',
        CASE token WHEN '1' THEN 'ServiceUnavailable' WHEN '4' THEN 'DeviceTokenNotForTopic' ELSE 'BadTopic' END,
        '2026-11-21T10:00:00Z', '2100-01-01', now(), now()
      FROM device_tokens;
      """)

    let findings = try await scene.findings()

    #expect(findings.contains("ok queue: 4 deliveries wait"))
    let held = findings.filter { $0.hasPrefix("warning held") }
    #expect(held.count == 2 && held[0].contains("2 of feedbackkit are held by apns for BadTopic; tried again at 2026-"))
    let topic = "DeviceTokenNotForTopic: the bundle id that the configuration gives its devices is another app's"
    #expect(held.contains { $0.contains("1 of feedbackkit are held by apns for \(topic); tried again at 2026-") })
  }

  @Test func deliveriesWhoseAnswersCannotBeWrittenAreNamed() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      INSERT INTO users (id, email, name) VALUES ('a0000000-0000-4000-8000-000000000001', 'a@example.com', 'Ada');
      INSERT INTO device_tokens (user_id, token, platform)
      SELECT 'a0000000-0000-4000-8000-000000000001', n::text, 'iOS' FROM generate_series(1, 3) n;
      INSERT INTO notifications (id, user_id, type, title)
      VALUES ('b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'new_vote', 'Hi');
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, reason, refusals, not_before,
        expires_at, created_at, updated_at)
      SELECT 'b0000000-0000-4000-8000-000000000001', id, user_id, 'feedbackkit',
        CASE token WHEN '3' THEN 'queued' ELSE 'unknown' END, CASE token WHEN '3' THEN NULL ELSE 'Unsettled' END, 2, now(),
        '2100-01-01', now(), now()
      FROM device_tokens;
      """)

    let findings = try await scene.findings().filter { $0.hasPrefix("warning queue") }

    #expect(findings.count == 2)
    #expect(findings[0].contains("2 deliveries were given up in the last day, because no answer could be written down"))
    #expect(findings[1].contains("1 deliveries that were sent will be sent again"))
  }

  @Test func whatIsOverdueAndWhatCannotBeReleasedIsNamed() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      INSERT INTO users (id, email, name)
      SELECT ('a0000000-0000-4000-8000-00000000000' || n)::uuid, n || '@example.com', 'Ada' FROM generate_series(1, 3) n;
      INSERT INTO device_tokens (user_id, token, platform)
      SELECT 'a0000000-0000-4000-8000-000000000001', n::text, 'iOS' FROM generate_series(1, 3) n;
      INSERT INTO notifications (id, user_id, type, title)
      VALUES ('b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'new_vote', 'Hi');
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, lease_until, expires_at,
        created_at, updated_at)
      SELECT 'b0000000-0000-4000-8000-000000000001', id, user_id, 'feedbackkit', '2026-11-21T10:00:00Z',
        CASE token WHEN '3' THEN now() + interval '1 hour' END, '2100-01-01', now(), now()
      FROM device_tokens;
      INSERT INTO held_people (user_id, app, release_at, failures, failure) VALUES
        ('a0000000-0000-4000-8000-000000000001', 'mugshot', '2026-11-21T11:00:00Z', 0, NULL),
        ('a0000000-0000-4000-8000-000000000002', 'feedbackkit', '2099-01-01T00:00:00Z', 3, 'P0001: refused'),
        ('a0000000-0000-4000-8000-000000000003', 'lockitin', now() + interval '1 hour', 0, NULL);
      """)

    let findings = try await scene.findings()

    #expect(
      findings.filter { $0.hasPrefix("warning overdue") } == [
        "warning overdue: deliveries: 2 overdue, the first since 2026-11-21T10:00:00.000Z; see runner status and the log",
        "warning overdue: people for whom something is held: 1 overdue, the first since 2026-11-21T11:00:00.000Z; see runner status and the log",
      ])
    #expect(
      findings.filter { $0.hasPrefix("warning held") } == [
        "warning held: what feedbackkit holds for a0000000-0000-4000-8000-000000000002 could not be released, 3 times in a row: P0001: refused; tried again at 2099-01-01T00:00:00.000Z"
      ])
  }

  @Test func sharedProviderTokensAreLookedAtButNotRead() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      DROP TABLE IF EXISTS push_provider_tokens;
      CREATE TABLE push_provider_tokens (team_id text, key_id text, environment text, token text, issued_at timestamptz,
        PRIMARY KEY (team_id, key_id, environment));
      INSERT INTO push_provider_tokens VALUES ('DEF123GHIJ', 'ABC123DEFG', 'sandbox', 'secret', now() - interval '12 min'),
        ('DEF123GHIJ', 'ABC123DEFG', 'production', 'secret', now() + interval '12 min');
      """)

    let findings = try await scene.findings()
    try await scene.database.script("GRANT SELECT ON push_provider_tokens TO PUBLIC")
    let open = try await scene.examine()
    try await scene.database.script("DROP TABLE push_provider_tokens")
    let without = try await scene.examine()

    #expect(findings.contains("ok provider token: DEF123GHIJ, ABC123DEFG, sandbox: 12 min old"))
    #expect(findings.contains { $0.hasPrefix("MISSING provider token: DEF123GHIJ, ABC123DEFG, production: dated 1") })
    #expect(open.exit == 78 && open.stdout.contains("REVOKE ALL ON push_provider_tokens FROM PUBLIC"))
    #expect(without.exit == 0 && without.stdout.contains("warning  table"))
    #expect(!(findings.joined() + open.stdout).contains("secret"))
  }

  @Test func devicesOfAnAppWithoutATopicAreSaid() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      INSERT INTO users (id, email, name) VALUES ('a0000000-0000-4000-8000-000000000001', 'ada@example.com', 'Ada');
      INSERT INTO device_tokens (user_id, token, platform, app)
      VALUES ('a0000000-0000-4000-8000-000000000001', 'aa', 'iOS', 'mugshot');
      """)

    let without = try await scene.findings()
    let with = try await scene.findings([], ["APNS_TOPICS": "mugshot=com.example.mug"])

    #expect(without.contains { $0.hasPrefix("warning devices: 1 of mugshot wait: they name no topic") })
    #expect(!with.contains { $0.hasPrefix("warning devices") })
    #expect(with.contains { $0.contains("com.example.mug in sandbox") })
  }

  @Test func providerTokensAreAsOldAsTheClockSays() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      CREATE SCHEMA runner;
      CREATE FUNCTION runner.now() RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT clock_timestamp() + interval '9 hours' $$;
      INSERT INTO push_provider_tokens VALUES ('DEF123GHIJ', 'ABC123DEFG', 'sandbox', 'secret', runner.now());
      """)

    let findings = try await scene.findings()

    #expect(findings.contains { $0.hasPrefix("ok provider token: DEF123GHIJ, ABC123DEFG, sandbox: ") })
  }

  @Test(arguments: [["--nonsense"], ["--production"], ["--validate-only"], ["live"]])
  func badUsageIsSaid(words: [String]) async throws {
    let outcome = try await BuiltExecutables.run("push", ["doctor"] + words)

    #expect(outcome.exit == 64 && outcome.stderr.hasPrefix("push: ") && outcome.stdout.isEmpty)
  }
}
