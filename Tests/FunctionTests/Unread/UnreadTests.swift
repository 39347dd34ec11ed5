import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import UnreadCheck

/// A function gets what stays unread, once, and nobody is reminded who does not want it.
@Suite(.heavy)
struct UnreadTests {
  private static let link = "feedbackkit://feedback/\(RowEvent.feedback)"
  private static let line =
    "tell|feedbackkit|grace@example.com|new_vote|New Vote|Dark mode now has 3 votes|\(link)|en"

  @Test func whatStaysUnreadIsGivenToItsFunctionOnce() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)

    let early = try await scene.check(at: UnreadScene.due - 1)
    let due = try await scene.check(at: UnreadScene.due)
    let again = try await scene.check(at: UnreadScene.due + 86_400)

    #expect(early.given == 0 && early.wakeAt == UnreadScene.due)
    #expect(due.given == 1 && due.wakeAt == UnreadScene.due + Double(UnreadRule.confirmation))
    #expect(again.given + again.waiting + again.ended == 0)
    #expect(try await scene.given() == [Self.line])
  }

  @Test(arguments: [
    ("UPDATE notifications SET is_read = true", "already_handled"),
    ("UPDATE notifications SET is_archived = true", "already_handled"),
    (
      """
      INSERT INTO notification_interactions (notification_id, event, occurred_at, created_at)
      SELECT id, 'opened', created_at, created_at FROM notifications
      """, "already_handled"
    ),
    (
      """
      INSERT INTO notifications (id, user_id, app, type, title, origin, function, created_at)
      SELECT '5c000000-0000-4000-8000-000000000001', user_id, app, 'quiet_summary', 'x', 'function', 'f', created_at
      FROM notifications;
      UPDATE notifications SET summary_id = '5c000000-0000-4000-8000-000000000001' WHERE type = 'new_vote';
      INSERT INTO notification_interactions (notification_id, event, occurred_at, created_at)
      SELECT id, 'opened', created_at, created_at FROM notifications WHERE type = 'quiet_summary'
      """, "already_handled"
    ),
    ("DELETE FROM votes", "subject_gone"),
    ("UPDATE notifications SET expires_at = created_at + interval '29 minutes'", "expired"),
    (
      """
      INSERT INTO unread_settings (user_id, app, is_enabled) SELECT user_id, app, false FROM notifications
      """, "unwanted"
    ),
    ("UPDATE users SET push_notifications_enabled = false", "disabled"),
    ("UPDATE users SET push_notify_votes = false", "type_disabled"),
  ])
  func whatWasReadOrIsNotTrueOrNotWantedIsNotGiven(change: String, reason: String) async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.connection.script(change)

    let due = try await scene.check(at: UnreadScene.due)

    #expect(due.given == 0 && due.ended == 1)
    #expect(try await scene.given().isEmpty)
    #expect(try await scene.reasons() == [reason])
  }

  @Test func quietHoursPutItOffToTheirEnd() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.policy.set(
      "quiet_hours_enabled = true, timezone = 'UTC', quiet_hours_start = '12:20', quiet_hours_end = '15:00'")

    let quiet = try await scene.check(at: UnreadScene.due)
    let waits = try await scene.reasons()
    let over = try await scene.check(at: UnreadScene.noon + 3 * 3_600 + 61)

    #expect(quiet.given == 0 && quiet.waiting == 1 && waits == ["quiet_hours"])
    let end = UnreadScene.noon + 3 * 3_600
    #expect(quiet.wakeAt.map { $0 >= end && $0 <= end + 61 } == true)
    #expect(over.given == 1)
  }

  @Test func aMutePutsItOffToItsEndAndWhoReadsMeanwhileIsNotReminded() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.change(
      """
      INSERT INTO notification_mutes (user_id, scope, target, muted_until)
      VALUES (\(scene.policy.person), 'person', '', \(UnreadScene.noon + 7_200))
      """)

    let muted = try await scene.check(at: UnreadScene.due)
    try await scene.change("UPDATE notifications SET is_read = true")
    let over = try await scene.check(at: UnreadScene.noon + 7_261)

    #expect(muted.waiting == 1 && over.given == 0 && over.ended == 1)
  }

  @Test func whatIsHeldIsUnreadOnlySinceItWasTold() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.set(
      "quiet_hours_enabled = true, timezone = 'UTC', quiet_hours_start = '11:00', quiet_hours_end = '13:00'")
    try await scene.policy.vote(1, at: UnreadScene.noon)

    let held = try await scene.check(at: UnreadScene.due)
    let told = UnreadScene.noon + 3_661
    let release = try await scene.policy.release(at: told)
    let early = try await scene.check(at: told + 1_799)
    let due = try await scene.check(at: told + 1_800)

    #expect(held.waiting == 1 && release.released == 1)
    #expect(early.given == 0 && due.given == 1)
  }

  @Test func whoWasRemindedIsNotRemindedOfTheSameAgainWithinADay() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    let first = try await scene.check(at: UnreadScene.due)
    try await scene.policy.vote(2, at: UnreadScene.due + 60)

    let second = try await scene.check(at: UnreadScene.due + 1_860)
    try await scene.policy.vote(3, at: UnreadScene.due + 1_920)
    let third = try await scene.check(at: UnreadScene.due + 3_720)

    #expect(first.given == 1 && second.given == 0 && second.ended == 1 && third.given == 0 && third.ended == 1)
    #expect(try await scene.reasons() == ["", "duplicate", "duplicate"])
  }

  @Test func whoIsToldAgainAndAgainIsRemindedWhenTheFirstHasStayedUnread() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.policy.vote(2, at: UnreadScene.noon + 1_200)

    let due = try await scene.check(at: UnreadScene.due)

    #expect(due.given == 1 && due.ended == 1 && due.waiting == 0, "\(due)")
    #expect(try await scene.reasons() == ["duplicate", ""])
  }

  @Test func severalActsAreGivenAsOneWithTheirNumber() async throws {
    let scene = try await UnreadScene()
    for number in 1...3 { try await scene.policy.vote(number, at: UnreadScene.noon + Double(number)) }
    _ = try await scene.policy.release(at: UnreadScene.noon + 661)

    let due = try await scene.check(at: UnreadScene.noon + 661 + 1_800)

    #expect(due.given == 1)
    #expect(try await scene.given().map { $0.contains("|3 people voted for Dark mode|") } == [true])
  }

  @Test func itIsSaidInTheReadersLanguage() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.policy.set("language = 'de'")

    try await scene.check(at: UnreadScene.due)

    #expect(try await scene.given().map { $0.hasSuffix("|Dark mode hat jetzt 3 Stimmen|\(Self.link)|de") } == [true])
  }

  @Test func anAddressThatIsNotVerifiedIsNotGiven() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.change("UPDATE users SET is_email_verified = false")

    let due = try await scene.check(at: UnreadScene.due)

    #expect(due.given == 1)
    #expect(try await scene.given().map { $0.contains("@") } == [false])
  }

  @Test func whatCameBeforeItsKindHadAFunctionIsNotGiven() async throws {
    let scene = try await UnreadScene("")
    try await scene.policy.vote(1, at: UnreadScene.noon)
    let rules = #"[{"app":"feedbackkit","kind":"new_vote","after":1800,"function":"tell"}]"#
    try await scene.check(following: rules)
    try await scene.check(following: rules)

    try await scene.policy.vote(2, at: UnreadScene.noon + 700)

    #expect(try await scene.policy.demo.number("SELECT count(*) FROM unread_checks") == 1)
  }

  @Test func aRunnerWithOtherKindsLeavesWhatWaitsToTheOneThatHasThem() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)

    let other = try await scene.check(following: "", at: UnreadScene.due)
    let own = try await scene.check(at: UnreadScene.due)
    try await scene.policy.vote(2, at: UnreadScene.due + 60)

    #expect(other.given + other.waiting + other.ended == 0 && own.given == 1)
    #expect(other.wakeAt == UnreadScene.due + 86_400)
    #expect(try await scene.policy.demo.number("SELECT count(*) FROM unread_checks") == 2)
  }

  @Test func whatWaitsGoesToTheFunctionThatItsKindHasNow() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    let rules = #"[{"app":"feedbackkit","kind":"new_vote","after":1800,"function":"other"}]"#

    let due = try await scene.check(following: rules, at: UnreadScene.due)
    let again = try await scene.check(at: UnreadScene.due)

    #expect(due.given == 1 && again.given == 0)
    #expect(try await scene.given().map { $0.hasPrefix("other|") } == [true])
  }

  @Test func aRuleOfNoRunnerIsForgottenAfterADayWithWhatWaits() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.setDatabaseClock(to: UnreadScene.noon + 101 * 86_400 + 1)

    let other = try await scene.check(following: "", at: UnreadScene.due + 86_400)
    try await scene.policy.vote(2, at: UnreadScene.due + 86_460)

    #expect(other.ended == 1)
    #expect(try await scene.reasons() == ["expired"])
    #expect(try await scene.policy.demo.number("SELECT count(*) FROM unread_rules") == 0)
  }

  @Test func aClockThatIsAheadEndsNothingAndGivesNothing() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.setDatabaseClock(to: UnreadScene.noon)
    let wrong = UnreadScene.noon + 3 * 86_400

    let ahead = try await scene.check(at: wrong)
    try await scene.setDatabaseClock(to: UnreadScene.due)
    let right = try await scene.check(at: UnreadScene.due)

    #expect(ahead.given + ahead.waiting + ahead.ended == 0 && ahead.wakeAt == wrong + 1_800)
    #expect(right.given == 1)
  }

  @Test func aNotificationOfAKindWithoutARuleWakesNobody() async throws {
    let scene = try await UnreadScene()
    try await scene.connection.script(
      """
      CREATE TABLE woken (at timestamptz);
      CREATE FUNCTION wake() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO public.woken VALUES (now()); RETURN NULL; END $$;
      CREATE TRIGGER wake AFTER INSERT ON unread_checks FOR EACH STATEMENT EXECUTE FUNCTION wake()
      """)
    let insert = { (type: String) -> SQL in
      """
      INSERT INTO notifications (user_id, app, type, title, created_at)
      VALUES (\(scene.policy.person), 'feedbackkit', \(type), 'x', \(UnreadScene.noon))
      """
    }

    try await scene.change(insert("new_comment"))
    let before = try await scene.policy.demo.number("SELECT count(*) FROM woken")
    try await scene.change(insert("new_vote"))

    #expect(before == 0)
    #expect(try await scene.policy.demo.number("SELECT count(*) FROM woken") == 1)
  }

  @Test func aDayAfterItsTimeNobodyIsRemindedAnyMore() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)

    let late = try await scene.check(at: UnreadScene.due + 86_401)

    #expect(late.given == 0 && late.ended == 1)
    #expect(try await scene.reasons() == ["expired"])
  }

  @Test func anAppsOwnRowIsGivenInItsOwnWordsOnceAFunctionHasDecidedAboutIt() async throws {
    let scene = try await UnreadScene(
      #"[{"app":"mugshot","kind":"comment","after":60,"function":"slack"}]"#)
    try await scene.change(
      """
      INSERT INTO notifications (user_id, app, type, title, body, created_at)
      VALUES (\(scene.policy.person), 'mugshot', 'comment', 'Ada', 'wrote <b>', \(UnreadScene.noon))
      """)

    let undecided = try await scene.check(at: UnreadScene.noon + 60)
    try await scene.change("UPDATE notifications SET function = 'notification-created'")
    let due = try await scene.check(at: UnreadScene.noon + 360)

    #expect(undecided.given == 0 && undecided.waiting == 1 && due.given == 1)
    let line = "slack|mugshot|grace@example.com|comment|Ada|wrote <b>"
    #expect(try await scene.given().map { $0.contains(line) } == [true])
  }

  @Test func twoRunsAtTheSameTimeGiveEachOnce() async throws {
    let scene = try await UnreadScene()
    try await scene.change(
      """
      INSERT INTO notifications (user_id, app, type, title, body, function, created_at)
      SELECT \(scene.policy.person), 'feedbackkit', 'new_vote', 'New Vote', number::text, 'notification-created',
        \(UnreadScene.noon)
      FROM generate_series(1, 450) number
      """)

    async let one = scene.check(at: UnreadScene.due)
    async let other = scene.check(at: UnreadScene.due)
    let given = try await one.given + other.given

    #expect(given == 450)
    #expect(try await scene.policy.demo.number("SELECT count(*) FROM unread_notifications") == 450)
  }

  @Test func whatARunHasNotEndedIsGivenOnceByTheNext() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.connection.script(
      """
      CREATE SEQUENCE tries;
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('tries') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER die AFTER UPDATE ON unread_checks FOR EACH STATEMENT EXECUTE FUNCTION die()
      """)

    await #expect(throws: FunctionError.self) { try await scene.check(at: UnreadScene.due) }
    try await scene.policy.demo.functionsHaveEnded()
    let before = try await scene.given()
    let again = try await scene.check(at: UnreadScene.due)

    #expect(before.isEmpty && again.given == 1)
    #expect(try await scene.given() == [Self.line])
  }

  @Test func oneThatCannotBeGivenStopsNoOther() async throws {
    let scene = try await UnreadScene()
    try await scene.connection.script(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON unread_notifications FOR EACH ROW WHEN (NEW.body = '2')
        EXECUTE FUNCTION refuse()
      """)
    try await scene.change(
      """
      INSERT INTO notifications (user_id, app, type, title, body, function, created_at)
      SELECT \(scene.policy.person), 'feedbackkit', 'new_vote', 'New Vote', number::text, 'notification-created',
        \(UnreadScene.noon)
      FROM generate_series(1, 3) number
      """)

    let due = try await scene.check(at: UnreadScene.due)
    try await scene.connection.script("DROP TRIGGER refuse ON unread_notifications")
    let later = try await scene.check(at: UnreadScene.due + 300)

    #expect(due.given == 2 && due.waiting == 1 && later.given == 1)
  }

  @Test func oneThatAlwaysFailsEndsAfterADay() async throws {
    let scene = try await UnreadScene()
    try await scene.connection.script(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON unread_notifications FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
    try await scene.policy.vote(1, at: UnreadScene.noon)

    for seconds in [0.0, 43_200, 86_399] {
      let tried = try await scene.check(at: UnreadScene.due + seconds)
      #expect(tried.waiting == 1 && tried.ended == 0, "after \(seconds) seconds")
    }
    let last = try await scene.check(at: UnreadScene.due + 86_700)
    let after = try await scene.check(at: UnreadScene.due + 87_000)

    #expect(last.ended == 1 && last.waiting == 0 && after.ended + after.waiting == 0)
    #expect(try await scene.reasons() == ["failed"])
  }

  @Test func whatCouldBeDecidedMeanwhileHasAnotherDay() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    let failing = "UPDATE unread_checks SET failing_since = '2026-06-01', check_at = '2026-06-15 12:10+00'" as SQL
    try await scene.change(failing)

    let early = try await scene.check(at: UnreadScene.noon + 900)

    #expect(early.waiting == 1)
    #expect(try await scene.policy.demo.number("SELECT count(failing_since)::int FROM unread_checks") == 0)
  }

  @Test func aDryRunSaysWhatWouldBeGivenAndWritesNothing() async throws {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)

    let rehearsed = try await scene.check(at: UnreadScene.due, dryRun: true)
    let due = try await scene.check(at: UnreadScene.due)

    #expect(rehearsed.given == 1 && due.given == 1)
  }

  @Test(arguments: [
    (#"[{"app":"nobody","kind":"new_vote","after":1,"function":"f"}]"#, "names nobody, which is no app"),
    (
      #"[{"app":"feedbackkit","kind":"vote","after":1,"function":"f"}]"#,
      "names vote, which feedbackkit lacks: it has new_"
    ),
    ("[", "PUSH_UNREAD_RULES cannot be read."),
    (
      """
      [{"app":"feedbackkit","kind":"new_vote","after":1,"function":"f"},
      {"app":"feedbackkit","kind":"New_Vote","after":1,"function":"f"}]
      """, "has feedbackkit's new_vote twice"
    ),
  ])
  func rulesAboutWhatThereIsNotAreRefused(rules: String, sentence: String) {
    #expect {
      try UnreadRule.all(Environment([UnreadRule.variable: rules]))
    } throws: { error in
      (error as? FunctionError)?.code == .misconfigured && "\(error)".contains(sentence)
    }
  }
}
