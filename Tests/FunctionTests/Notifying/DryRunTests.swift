import FunctionKit
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import CommentAdded
@testable import StatusChanged

@Suite(.heavy)
struct DryRunTests {
  @Test func decidesLikeTheRealThingAndWritesNothing() async throws {
    let demo = try await Demo()
    let function = CommentAdded(store: demo.store())

    let rehearsal = try await demo.run(function, on: RowEvent.commentAdded(), dryRun: true)
    #expect(try await demo.effects() == [0, 0, 0, 0, 0])
    let real = try await demo.run(function, on: RowEvent.commentAdded())

    #expect(rehearsal.result.decisions == real.result.decisions)
    #expect(rehearsal.result.counts == real.result.counts)
    #expect(rehearsal.result.deliveries == real.result.deliveries)
    #expect(rehearsal.result.dryRun == true)
    #expect(rehearsal.result.alreadyApplied == false)
    #expect(real.json["dryRun"] == nil)
  }

  @Test func ignoresTheEventsOwnEarlierEffect() async throws {
    let demo = try await Demo()
    let function = StatusChanged(store: demo.store())
    let real = try await demo.run(function, on: RowEvent.statusChanged())

    let rehearsal = try await demo.run(function, on: RowEvent.statusChanged(), dryRun: true)

    #expect(rehearsal.result.alreadyApplied == true)
    #expect(rehearsal.result.decisions == real.result.decisions)
  }

  @Test func ignoresTheWindowAndThePushesOfTheEventItself() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO notification_settings (user_id, app, hourly_limit) SELECT id, 'feedbackkit', 1 FROM users
      """)
    let function = CommentAdded(store: demo.store())
    let real = try await demo.run(function, on: RowEvent.commentAdded())
    #expect(real.result.notified > 0)

    let same = try await demo.run(function, on: RowEvent.commentAdded(), dryRun: true)
    let other = try await demo.run(function, on: RowEvent.commentAdded("e2"), dryRun: true)

    #expect(same.result.decisions == real.result.decisions)
    #expect(other.result.notified == 0, "for another event they count")
  }

  @Test func seesTheEffectOfOtherEvents() async throws {
    let demo = try await Demo()
    let function = StatusChanged(store: demo.store())
    _ = try await demo.run(function, on: RowEvent.statusChanged())

    let rehearsal = try await demo.run(function, on: RowEvent.statusChanged("e2"), dryRun: true)

    #expect(rehearsal.decisions[.grace] == "suppress duplicate")
  }

  @Test func showsThePayloadsAsTheyWouldBeStored() async throws {
    let demo = try await Demo()
    let function = StatusChanged(store: demo.store())
    let rehearsal = try await demo.run(function, on: RowEvent.statusChanged(), dryRun: true)
    _ = try await demo.run(function, on: RowEvent.statusChanged())

    let rows = try await demo.connection.query(
      """
      SELECT '[' || string_agg('{"user":"' || user_id || '","payload":'
        || replace(payload, id::text, '00000000-0000-0000-0000-000000000000') || '}', ',' ORDER BY user_id) || ']'
        AS payloads FROM notifications
      """)

    let payloads = try #require(rehearsal.json["payloads"])
    #expect(try rows.only()["payloads"] == String(decoding: payloads.bytes, as: UTF8.self))
  }

  @Test func whatIsGoneIsToldWithoutATrace() async throws {
    let demo = try await Demo()
    try await demo.connection.script("DELETE FROM comments")

    let rehearsal = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded(), dryRun: true)

    #expect(rehearsal.result.reason == "subject_gone")
    #expect(rehearsal.json["payloads"] == RawJSON(validatingText: "[]"))
    #expect(try await demo.effects() == [0, 0, 0, 0, 0])
  }

  @Test func anUnchangedStatusIsRehearsedToo() async throws {
    let demo = try await Demo()

    let rehearsal = try await demo.run(
      StatusChanged(store: demo.store()), on: RowEvent.statusChanged(from: "a", to: "a"), dryRun: true)

    #expect(rehearsal.result.dryRun == true)
    #expect(rehearsal.result.reason == "unchanged")
  }
}

extension RawJSON {
  fileprivate init?(validatingText text: String) {
    try? self.init(validating: Array(text.utf8)[...])
  }
}
