import FoundationEssentials
import FunctionKit
import Postgres
import StoreLive
import Synchronization
import TestSupport
import Testing

@testable import DeliveryLive

/// Who is told of very many acts is released on a connection of its own, and if there is none, after all others.
@Suite(.heavy)
struct ReleaseApartTests {
  private let scene: FloodScene

  init() async throws {
    scene = try await FloodScene()
    // Which session told whom of something, in what order.
    try await scene.demo.connection.script(
      """
      CREATE TABLE told (id bigint GENERATED ALWAYS AS IDENTITY, user_id uuid, pid int);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        INSERT INTO told (user_id, pid)
        SELECT user_id, pg_backend_pid() FROM notifications WHERE id = NEW.notification_id;
        RETURN NULL;
      END';
      CREATE TRIGGER note AFTER INSERT ON notification_rechecks FOR EACH ROW WHEN (NEW.decision = 'notify')
        EXECUTE FUNCTION note()
      """)
  }

  /// Who was told of something, in that order.
  private func told(except pid: Int = 0) async throws -> [String] {
    try await scene.demo.connection.query(
      "SELECT user_id::text AS person FROM told WHERE pid <> \(pid) ORDER BY id"
    ).decode("person")
  }

  /// Makes people known for a release that took too long.
  private func mark(_ people: Person...) async throws {
    let ids = try people.map { try #require(UUID(uuidString: $0.id)) }
    _ = try await scene.demo.connection.query(
      "UPDATE held_people SET failure = \(ReleaseApart.tookTooLong) WHERE user_id = ANY (\(ids))")
  }

  private func hold(_ people: Person...) async throws {
    for person in people { try await scene.hold(1, of: person, about: "1") }
  }

  /// Notifications of one of some people wait until somebody else was told of something.
  private func hold(up people: Person..., until other: Person) async throws {
    try await scene.demo.connection.script(
      """
      CREATE FUNCTION await_other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        WHILE NOT EXISTS (SELECT FROM deliveries WHERE user_id = ''\(other.id)'') LOOP
          PERFORM pg_sleep(0.01);
        END LOOP;
        RETURN NULL;
      END';
      CREATE TRIGGER await_other AFTER INSERT ON told FOR EACH ROW
        WHEN (NEW.user_id IN (\(people.map { "'\($0.id)'" }.joined(separator: ", ")))) EXECUTE FUNCTION await_other()
      """)
  }

  private var sleeps: SQL {
    "EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep')"
  }

  /// The last 500 are not gathered, and do not count.
  @Test func whoHadMoreThanTenThousandRowsIsReleasedApart() async throws {
    try await scene.hold(10_000, of: .ada, about: "1")
    try await scene.hold(10_501, of: .hugo, about: "2")
    let store = scene.store()
    let pid: Int = try await store.connection.query("SELECT pg_backend_pid() AS pid").only().decode("pid")

    let release = try await store.release(at: FloodScene.due, dryRun: false)

    #expect(release.released == 2 && release.merged == 20_499 && release.putAside == nil)
    #expect(try await told(except: pid) == [Person.hugo.id])
    #expect(try await scene.pushes(of: .ada) == ["10000 people voted for Idea 1"])
    #expect(try await scene.pushes(of: .hugo) == ["10501 people voted for Idea 2"])
  }

  /// The first one's release lasts until a stranger was told of something.
  @Test func oneAtATimeIsReleasedApart() async throws {
    try await hold(.ada, .hugo)
    try await mark(.ada, .hugo)
    try await hold(up: .ada, .hugo, until: .eva)
    try await scene.demo.connection.script(
      """
      CREATE FUNCTION be_alone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        IF NOT pg_try_advisory_xact_lock(1) THEN RAISE ''two at once''; END IF;
        RETURN NEW;
      END';
      CREATE TRIGGER be_alone BEFORE INSERT ON told FOR EACH ROW
        WHEN (NEW.user_id <> '\(Person.eva.id)') EXECUTE FUNCTION be_alone()
      """)
    let scene = scene
    async let release = scene.release()
    try await scene.demo.connection.wait(until: sleeps)
    try await hold(.eva)

    let answer = try await release

    #expect(answer.released == 3 && answer.putAside == nil && answer.wakeAt == nil)
    #expect(try await Set(told()) == [Person.ada.id, Person.hugo.id, Person.eva.id])
    #expect(try await told().count == 3)
  }

  /// The queue is read in the order of people's ids; here the highest id has waited longest.
  @Test func whoHasWaitedLongestIsReleasedApartFirst() async throws {
    let people: [Person] = [.ada, .hugo, .eva]
    try await hold(.ada, .hugo, .eva)
    try await mark(.ada, .hugo, .eva)
    try await scene.demo.connection.script(
      """
      UPDATE held_people AS p SET release_at = p.release_at - o.place * interval '1 minute'
      FROM (SELECT user_id, row_number() OVER (ORDER BY user_id) AS place FROM held_people) AS o
      WHERE o.user_id = p.user_id
      """)

    let release = try await scene.release()

    #expect(release.released == 3 && release.putAside == nil)
    #expect(try await told() == people.map(\.id).sorted(by: >))
  }

  /// The role may have one connection.
  @Test func ifThereIsNoOtherConnectionTheyComeLast() async throws {
    try await hold(.ada, .hugo, .eva, .grace)
    try await mark(.ada, .hugo)
    let role = "lonely_\(UUID().uuidString.prefix(8).lowercased())"
    try await scene.demo.connection.script(
      """
      CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1 IN ROLE pg_read_all_data, pg_write_all_data;
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO \(role)
      """)
    let connection = Connection(
      url: scene.demo.url.replacing("user=postgres", with: "user=\(role)"), applicationName: "function")
    let lines = Mutex<[String]>([])
    let log = Log { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }

    let release = try await NotificationStore(connection).release(at: FloodScene.due, dryRun: false, log: log)

    await connection.close()
    #expect(release.released == 4 && release.putAside == nil && release.wakeAt == nil)
    let told = try await told()
    #expect(Set(told.prefix(2)) == [Person.eva.id, Person.grace.id])
    #expect(Set(told.suffix(2)) == [Person.ada.id, Person.hugo.id])
    let said = lines.withLock(\.self)
    #expect(said.count == 1 && said.first?.contains("too many connections for role") == true, "\(said)")
    try await scene.demo.connection.script("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  /// However many others come again and again, each run releases one of them.
  @Test func ifThereIsNoOtherConnectionNobodyIsForgotten() async throws {
    try await hold(.ada, .hugo)
    try await mark(.ada)
    // Others' turns last until the run's time is over.
    try await scene.demo.connection.script(
      """
      CREATE FUNCTION go_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END';
      CREATE TRIGGER go_on AFTER INSERT ON told FOR EACH ROW WHEN (NEW.user_id = '\(Person.hugo.id)')
        EXECUTE FUNCTION go_on()
      """)
    let connection = scene.store().connection
    _ = try await connection.query("SELECT 1")
    let name = try await scene.demo.connection.query("SELECT current_database() AS name").only()["name"] ?? ""
    let administrator = try TemporaryPostgres.statelessConnection()
    try await administrator.script("ALTER DATABASE \"\(name)\" ALLOW_CONNECTIONS false")
    await administrator.close()
    var run = ReleaseRun(connection, at: FloodScene.due, longest: .seconds(1))

    let release = try await run.release()

    #expect(release.released == 2 && release.wakeAt != nil)
    #expect(try await told() == [Person.hugo.id, Person.ada.id])
    #expect(run.refusal != nil)
  }

  /// Each statement has its time, and all of them together take longer.
  @Test func whoTakesTooLongIsPutAsideAndIsApartFromTheBeginningNextTime() async throws {
    try await hold(.ada, .hugo)
    try await mark(.ada)
    try await scene.demo.connection.script(
      """
      CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.7); RETURN NULL; END';
      CREATE TRIGGER take_long AFTER INSERT ON told FOR EACH ROW WHEN (NEW.user_id = '\(Person.ada.id)')
        EXECUTE FUNCTION take_long();
      CREATE TRIGGER take_long AFTER DELETE ON held_people FOR EACH ROW WHEN (OLD.user_id = '\(Person.ada.id)')
        EXECUTE FUNCTION take_long()
      """)
    let store = scene.store()
    var run = ReleaseRun(store.connection, at: FloodScene.due, longestApart: .seconds(1))

    let release = try await run.release()

    #expect(release.released == 1 && release.putAside == 1 && release.wakeAt != nil)
    let aside = try await scene.demo.connection.query("SELECT failures, failure FROM held_people").only()
    #expect(aside["failures"] == "1" && aside["failure"] == ReleaseApart.tookTooLong)

    try await scene.demo.connection.script("DROP FUNCTION take_long CASCADE")
    let pid: Int = try await store.connection.query("SELECT pg_backend_pid() AS pid").only().decode("pid")
    #expect(try await store.release(at: FloodScene.due + 600, dryRun: false).released == 1)
    #expect(try await told(except: pid) == [Person.ada.id])
    #expect(try await scene.demo.number("SELECT count(*) FROM held_people") == 0)
  }

  /// A correction that wanted the lock of the person would keep all turns waiting, and be rolled back.
  @Test func correctionsDoNotWaitForWhoIsReleasedApart() async throws {
    try await hold(.ada)
    try await mark(.ada)
    try await hold(up: .ada, until: .eva)
    let rollbacks: SQL = "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()"
    let before = try await scene.demo.number(rollbacks)
    let scene = scene
    async let release = scene.release()
    try await scene.demo.connection.wait(until: sleeps)
    try await scene.demo.connection.script(
      """
      INSERT INTO stale_entries (notification_id, user_id, app)
      VALUES (gen_random_uuid(), '\(Person.ada.id)', 'feedbackkit'),
        (gen_random_uuid(), '\(Person.hugo.id)', 'feedbackkit')
      """)
    try await scene.demo.connection.wait(
      until: "NOT EXISTS (SELECT FROM stale_entries WHERE user_id = \(Person.hugo.id)::uuid)")
    try await hold(.eva)

    let answer = try await release

    #expect(answer.released == 2 && answer.wakeAt != nil)
    #expect(try await scene.demo.number("SELECT count(*) FROM stale_entries") == 1)
    try await scene.demo.functionsHaveEnded()
    #expect(try await scene.demo.number(rollbacks) == before)
    _ = try await scene.release()
    #expect(try await scene.demo.number("SELECT count(*) FROM stale_entries") == 0)
  }

  /// A try that takes too long is the turn's only one; the next turn's is a smaller one.
  @Test func othersHaveTheirTurnBetweenTheTriesOfACorrection() async throws {
    try await scene.demo.connection.script(
      """
      INSERT INTO stale_entries (notification_id, user_id, app)
      SELECT gen_random_uuid(), gen_random_uuid(), 'feedbackkit' FROM generate_series(1, 30);
      CREATE SEQUENCE tries;
      CREATE FUNCTION take_too_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        IF nextval(''tries'') < 3 THEN RAISE ''too long'' USING ERRCODE = ''query_canceled''; END IF;
        RETURN NULL;
      END';
      CREATE TRIGGER take_too_long BEFORE DELETE ON stale_entries EXECUTE FUNCTION take_too_long()
      """)
    var correction = Correction(scene.demo.connection, until: .now + .seconds(60))
    var left: [Int] = []

    for _ in 1...4 {
      _ = try await correction.correctNext(at: FloodScene.due)
      left.append(try await scene.demo.number("SELECT count(*) FROM stale_entries"))
    }

    #expect(left == [30, 30, 29, 27])
  }

  /// Rows that fail are tried again in halves; if each try takes long, no run would end.
  @Test(arguments: ["notification_rechecks", "stale_entries"])
  func whatFailsIsNotTriedAgainWhenTheTimeIsOver(_ table: String) async throws {
    try await hold(.ada, .hugo)
    try await scene.demo.connection.script(
      """
      INSERT INTO stale_entries (notification_id, user_id, app)
      SELECT gen_random_uuid(), user_id, app FROM held_notifications;
      CREATE SEQUENCE tries;
      CREATE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        PERFORM nextval(''tries''), pg_sleep(1);
        RAISE ''not now'';
      END';
      CREATE TRIGGER fail_late BEFORE INSERT OR DELETE ON \(table) FOR EACH ROW EXECUTE FUNCTION fail_late()
      """)
    var run = ReleaseRun(scene.store().connection, at: FloodScene.due, longest: .seconds(1))

    let release = try await run.release()

    #expect(try await scene.demo.number("SELECT last_value FROM tries") == 1)
    #expect(release.putAside == nil && release.wakeAt != nil)
  }
}
