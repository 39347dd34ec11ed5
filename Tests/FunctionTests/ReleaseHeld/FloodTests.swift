import DeliveryLive
import FoundationEssentials
import Notifications
import Postgres
import StoreLive
import TestSupport
import Testing

/// Much that is due for somebody delays nobody else, and neither does what fails.
@Suite(.heavy)
struct FloodTests {
  private let scene: FloodScene

  init() async throws { scene = try await FloodScene() }

  /// More than three transactions take, of one family and subject.
  @Test func thousandsOfActsOfOneSubjectAreOnePush() async throws {
    try await scene.hold(7_001, of: .ada, about: "1")
    try await scene.hold(1, of: .hugo, about: "2")

    let release = try await scene.release()

    #expect(release.released == 2 && release.merged == 7_000 && release.held == 0 && release.suppressed == 0)
    #expect(try await scene.pushes(of: .ada) == ["7001 people voted for Idea 1"])
    #expect(try await scene.pushes(of: .hugo).count == 1)
    #expect(release.wakeAt == nil)
  }

  /// Each transaction takes some of a person's; nothing of it is merged.
  @Test func manySubjectsOfOnePersonAreAllReleased() async throws {
    for subject in 0..<30 { try await scene.hold(40, of: .ada, about: "\(subject)") }
    try await scene.hold(1, of: .hugo, about: "40")

    let release = try await scene.release()

    #expect(release.released == 31 && release.merged == 30 * 39)
    #expect(try await Set(scene.pushes(of: .ada)) == Set((0..<30).map { "40 people voted for Idea \($0)" }))
    #expect(try await scene.pushes(of: .hugo).count == 1)
  }

  /// A transaction that would take the acts of an earlier digest over, one by one, would have no bound.
  @Test func aDigestThatGoesOnCountsAll() async throws {
    try await scene.hold(3_000, of: .ada, about: "1")
    _ = try await scene.release()
    try await scene.hold(5, of: .ada, about: "1", from: 3_000)

    let release = try await scene.release(at: FloodScene.due + 600)

    #expect(release.released == 1)
    #expect(try await scene.pushes(of: .ada).last == "3005 people voted for Idea 1")
    #expect(
      try await scene.demo.number("SELECT count(*) FROM notifications WHERE NOT is_archived AND type = 'new_vote'") == 1
    )
  }

  @Test func actsThatWereTakenBackMeanwhileDoNotCount() async throws {
    try await scene.hold(1_200, of: .ada, about: "1")
    // The last one, too, into which all others are merged.
    try await scene.demo.connection.script("DELETE FROM votes WHERE user_id IN ('voter-0', 'voter-7', 'voter-1199')")

    let release = try await scene.release()

    #expect(release.released == 1)
    #expect(try await scene.pushes(of: .ada) == ["1197 people voted for Idea 1"])
  }

  /// Entries that were read take nothing with them that waits behind them.
  @Test func whatWasReadIsNotWhatOthersAreMergedInto() async throws {
    try await scene.hold(1_200, of: .ada, about: "1")
    try await scene.demo.connection.script("UPDATE notifications SET is_read = true WHERE actor = 'voter-1199'")

    let release = try await scene.release()

    #expect(release.released == 1)
    #expect(try await scene.pushes(of: .ada) == ["1199 people voted for Idea 1"])
  }

  @Test func whatIsReadBetweenTwoTransactionsIsNotWhatOthersAreMergedInto() async throws {
    try await scene.hold(1_200, of: .ada, about: "1")
    try await scene.demo.connection.script(
      """
      CREATE FUNCTION read_first() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        UPDATE notifications SET is_read = true
        WHERE merged_into IS NULL AND id IN (SELECT merged_into FROM notifications)
          AND NOT EXISTS (SELECT FROM notifications WHERE is_read);
        RETURN NULL;
      END';
      CREATE TRIGGER read_first AFTER UPDATE OF merged_into ON notifications
        FOR EACH STATEMENT EXECUTE FUNCTION read_first()
      """)

    let release = try await scene.release()

    #expect(release.released == 1)
    #expect(try await scene.pushes(of: .ada) == ["200 people voted for Idea 1"])
  }

  @Test func whoFailsIsPutAsideWithTheReasonAndHarmsNobody() async throws {
    try await scene.hold(3, of: .ada, about: "1")
    for (number, person) in [Person.hugo, .eva, .grace].enumerated() {
      try await scene.hold(1, of: person, about: "\(number + 2)")
    }
    try await scene.demo.connection.script(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''not this one''; END';
      CREATE TRIGGER refuse BEFORE INSERT ON notification_rechecks FOR EACH ROW
        WHEN (NEW.notification_id = '\(try await scene.anyNotification(of: .hugo))') EXECUTE FUNCTION refuse()
      """)

    let release = try await scene.release()
    let aside = try await scene.demo.connection.query(
      "SELECT failures, failure, user_id::text AS id, release_at FROM held_people")

    #expect(release.putAside == 1 && release.released == 3)
    #expect(try await scene.pushes(of: .eva).count == 1)
    #expect(try await scene.pushes(of: .grace).count == 1)
    #expect(aside.count == 1 && aside.first?["id"] == Person.hugo.id && aside.first?["failures"] == "1")
    #expect(aside.first?["failure"]?.contains("P0001") == true)
    #expect(release.wakeAt == FloodScene.due + 60)

    try await scene.demo.connection.script("DROP TRIGGER refuse ON notification_rechecks")
    #expect(try await scene.release(at: FloodScene.due + 59).released == 0)
    #expect(try await scene.release(at: FloodScene.due + 60).released == 1)
    #expect(try await scene.pushes(of: .hugo).count == 1)
  }

  @Test func whoIsLockedByTheAppKeepsNobodyWaiting() async throws {
    for (number, person) in [Person.ada, .hugo, .eva].enumerated() {
      try await scene.hold(1, of: person, about: "\(number)")
    }
    let app = Connection(url: scene.demo.url, applicationName: "app")
    try await app.transaction { transaction in
      _ = try await transaction.query("SELECT FROM users WHERE id = '\(unescaped: Person.hugo.id)' FOR UPDATE")

      let release = try await scene.release()

      #expect(release.released == 2 && release.putAside == nil)
      #expect(try await scene.pushes(of: .ada).count == 1)
      #expect(try await scene.pushes(of: .eva).count == 1)
      #expect(release.wakeAt.map { $0 >= FloodScene.due + 1 } == true)
    }
    #expect(try await scene.release().released == 1)
  }

  /// Looking for each voter among all votes would read people × votes.
  @Test func votersOfAPopularFeedbackAreFoundByAnIndex() async throws {
    let people = 300
    try await scene.manyVoters(people, among: 20_000)
    let before = try await scene.votesRead()

    let release = try await scene.release()

    #expect(release.released == people)
    #expect(try await scene.votesRead() - before < 40 * people)
  }

  /// A session plans its statements once, and the tables may be small then.
  @Test func votersAreFoundByAnIndexIfThePlanIsOlderThanTheVotes() async throws {
    let people = 300
    let store = scene.store()
    try await scene.hold(1, of: .ada, about: "1")
    #expect(try await store.release(at: FloodScene.due, dryRun: false).released == 1)
    try await scene.manyVoters(people, among: 20_000, analyzed: false)

    #expect(try await store.release(at: FloodScene.due, dryRun: false).released == people)

    await store.connection.close()
    #expect(try await scene.votesRead() < 40 * people)
  }

  /// PostgreSQL runs a query of its own for each call of a function that is no part of the query around it.
  @Test func whetherThingsStillHoldIsAskedOfAllAtOnce() async throws {
    try await scene.demo.connection.script(
      """
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET track_functions = ''all''', current_database()); END $$
      """)
    try await scene.hold(1_200, of: .ada, about: "1")
    try await scene.hold(3, of: .hugo, about: "2")

    #expect(try await scene.release().released == 2)

    try await scene.demo.functionsHaveEnded()
    let called: [String] = try await scene.demo.connection.query(
      "SELECT funcname::text FROM pg_stat_user_functions"
    ).decode("funcname")
    #expect(called.contains("push_hold_people"))
    #expect(Set(called).isDisjoint(with: ["push_counts", "push_eligibilities", "push_eligibility", "push_parts"]))
  }

  /// Notifications that come due while more is due than one turn takes do not wait for the next run.
  @Test func timePassesWithinAFlood() async throws {
    try await scene.hold(501, of: .ada, about: "1")
    try await scene.hold(1, of: .hugo, about: "2")
    let later = "+ interval '10 milliseconds' WHERE user_id = '\(Person.hugo.id)'"
    try await scene.demo.connection.script(
      """
      UPDATE held_notifications SET held_until = held_until \(later);
      UPDATE held_people SET release_at = release_at \(later);
      CREATE FUNCTION take_longer() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.02); RETURN NULL; END';
      CREATE TRIGGER take_longer AFTER INSERT ON notification_rechecks FOR EACH ROW WHEN (NEW.decision = 'notify')
        EXECUTE FUNCTION take_longer()
      """)

    let release = try await scene.release()

    #expect(release.released == 2 && release.wakeAt == nil)
    #expect(try await scene.pushes(of: .hugo).count == 1)
  }

  /// The statements about who is told of them last until something has gone out to a stranger.
  @Test func veryManyActsThatAreToldKeepNobodyWaiting() async throws {
    try await scene.hold(10_501, of: .ada, about: "1")
    try await scene.demo.connection.script(
      """
      CREATE FUNCTION await_hugo() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        WHILE NOT EXISTS (SELECT FROM deliveries WHERE user_id = ''\(Person.hugo.id)'') LOOP
          PERFORM pg_sleep(0.01);
        END LOOP;
        RETURN NULL;
      END';
      CREATE TRIGGER await_hugo AFTER INSERT ON notification_rechecks FOR EACH ROW WHEN (NEW.decision = 'notify')
        EXECUTE FUNCTION await_hugo()
      """)
    let scene = scene
    async let release = scene.release()
    try await scene.demo.connection.wait(
      until: """
        EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep')
        """)
    try await scene.hold(1, of: .hugo, about: "2")

    let answer = try await release

    #expect(answer.released == 2 && answer.merged == 10_500 && answer.putAside == nil && answer.wakeAt == nil)
    #expect(try await scene.pushes(of: .ada) == ["10501 people voted for Idea 1"])
  }

  /// The queue's one promise: nobody's time is later than that of what waits for them.
  @Test func aPlaceInTheQueueIsNeverTooLate() async throws {
    try await scene.hold(2, of: .ada, about: "1")
    let late: SQL = """
      SELECT count(*) FROM held_notifications h LEFT JOIN held_people p USING (user_id, app)
      WHERE p.release_at IS NULL OR p.release_at > h.held_until
      """
    #expect(try await scene.demo.number(late) == 0)
    for change in [
      "UPDATE held_notifications SET held_until = held_until - interval '1 hour'",
      "UPDATE held_notifications SET held_until = held_until + interval '2 hours'",
      "SELECT push_ask_again(user_id) FROM held_notifications", "DELETE FROM held_people",
      "UPDATE held_notifications SET reason = 'quiet_hours'",
    ] {
      try await scene.demo.connection.script(change)
      #expect(try await scene.demo.number(late) == 0 || change.hasPrefix("DELETE"), "\(change)")
    }
    _ = try await scene.release()
    #expect(try await scene.demo.number(late) == 0)
  }
}
