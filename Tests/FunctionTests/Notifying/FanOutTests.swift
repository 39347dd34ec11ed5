import Postgres
import StoreLive
import TestSupport
import Testing

@testable import StatusChanged

/// A status change that concerns more people than one transaction takes.
@Suite(.heavy)
struct FanOutTests {
  private func demo(voters: Int = 1_200) async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      DELETE FROM votes;
      INSERT INTO users (id, email, name, is_email_verified)
      SELECT ('e0000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'v' || i || '@example.com', 'V' || i, true
      FROM generate_series(1, \(voters)) i;
      INSERT INTO votes (user_id, user_email, feedback_id)
      SELECT 'sdk-' || i, 'V' || i || '@Example.com', '\(RowEvent.feedback)' FROM generate_series(1, \(voters)) i;
      INSERT INTO device_tokens (user_id, token, platform)
      SELECT id, 'token-' || id, 'iOS' FROM users WHERE name LIKE 'V%';
      """)
    return demo
  }

  @Test func everyVoterIsToldOnce() async throws {
    let demo = try await demo()

    let answer = try await demo.run(StatusChanged(store: demo.store(chunk: 500)), on: RowEvent.statusChanged())

    #expect(answer.result.notified == 1_201)
    #expect(answer.result.deliveries == 1_201)
    #expect(answer.result.counts == ["voter": 1_200, "submitter": 1])
    #expect(answer.result.decisions.count == NotificationResult.listLimit)
    #expect(answer.result.decisions.map(\.user) == answer.result.decisions.map(\.user).sorted())
    #expect(try await demo.number("SELECT count(DISTINCT user_id) FROM notifications") == 1_201)
  }

  /// Its people are less than a page, so that the cursor of the first try has reached the end.
  @Test func whatGivesWayIsReadAgain() async throws {
    let demo = try await demo(voters: 30)
    try await demo.connection.script(
      """
      UPDATE votes SET user_email = 'nobody-' || user_email WHERE substr(user_id, 5)::int > 10;
      CREATE SEQUENCE tries;
      CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('tries') = 1 THEN RAISE 'deadlock' USING ERRCODE = '40P01'; END IF;
          RETURN NULL;
        END $$;
      CREATE TRIGGER give_way BEFORE INSERT ON decisions FOR EACH STATEMENT EXECUTE FUNCTION give_way()
      """)

    let answer = try await demo.run(StatusChanged(store: demo.store(chunk: 20)), on: RowEvent.statusChanged())

    #expect(answer.result.notified == 11)
    #expect(try await demo.number("SELECT last_value FROM tries") > 1)
  }

  @Test func goesOnWhereItStopped() async throws {
    let demo = try await demo()
    let function = StatusChanged(store: demo.store(chunk: 500))
    try await demo.connection.script(
      "ALTER TABLE decisions ADD CONSTRAINT second_chunk CHECK (user_id < 'e0000000-0000-4000-8000-000000000600')")
    await #expect(throws: (any Error).self) { try await demo.run(function, on: RowEvent.statusChanged()) }
    #expect(try await demo.number("SELECT count(*) FROM notifications") == 500)
    #expect(try await demo.number("SELECT count(*) FROM handled_events WHERE result IS NULL") == 1)

    try await demo.connection.script("ALTER TABLE decisions DROP CONSTRAINT second_chunk")
    let answer = try await demo.run(function, on: RowEvent.statusChanged())
    let again = try await demo.run(function, on: RowEvent.statusChanged())

    #expect(answer.result.notified == 1_201)
    #expect(again.json == answer.json)
    #expect(try await demo.effects() == [1_201, 1_201, 1_201, 1, 1_201])
  }

  @Test func twoAtOnceShareTheChunks() async throws {
    let demo = try await demo(voters: 300)

    async let first = demo.run(StatusChanged(store: demo.store(chunk: 20)), on: RowEvent.statusChanged())
    async let second = demo.run(StatusChanged(store: demo.store(chunk: 20)), on: RowEvent.statusChanged())
    let answers = try await [first, second]

    #expect(answers[0].json == answers[1].json)
    #expect(answers[0].result.notified == 301)
    #expect(try await demo.effects() == [301, 301, 301, 1, 301])
  }

  @Test(arguments: [19, 20, 21])
  func aChunkMayEndExactlyAtTheEnd(voters: Int) async throws {
    let demo = try await demo(voters: voters - 1)

    let answer = try await demo.run(StatusChanged(store: demo.store(chunk: 20)), on: RowEvent.statusChanged())

    #expect(answer.result.notified == voters)
  }

  @Test func whatGoesMidwayEndsTheEvent() async throws {
    let demo = try await demo(voters: 50)
    let function = StatusChanged(store: demo.store(chunk: 20))
    try await demo.connection.script(
      "ALTER TABLE decisions ADD CONSTRAINT second_chunk CHECK (user_id < 'e0000000-0000-4000-8000-000000000030')")
    await #expect(throws: (any Error).self) { try await demo.run(function, on: RowEvent.statusChanged()) }
    try await demo.connection.script("DELETE FROM feedbacks")

    let answer = try await demo.run(function, on: RowEvent.statusChanged())

    #expect(answer.result.reason == "subject_gone")
    #expect(answer.result.notified == 20)
  }

  @Test func aDryRunGoesThroughAllAndListsTheFirst() async throws {
    let demo = try await demo(voters: 1_500)

    let answer = try await demo.run(
      StatusChanged(store: demo.store(chunk: 400)), on: RowEvent.statusChanged(), dryRun: true)

    #expect(answer.result.notified == 1_501)
    #expect(answer.result.decisions.count == NotificationResult.listLimit)
    #expect(try await demo.effects() == [0, 0, 0, 0, 0])
  }
}
