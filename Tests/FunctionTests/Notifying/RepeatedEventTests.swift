import FoundationEssentials
import FunctionKit
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import CommentAdded
@testable import FeedbackCreated

@Suite(.heavy)
struct RepeatedEventTests {
  @Test func aRepeatedEventReturnsItsRecordedResult() async throws {
    let demo = try await Demo()
    let function = CommentAdded(store: demo.store())
    let first = try await demo.run(function, on: RowEvent.commentAdded())
    let effects = try await demo.effects()
    try await demo.connection.script("UPDATE users SET push_notifications_enabled = false")

    let second = try await demo.run(function, on: RowEvent.commentAdded(), at: Demo.now.addingTimeInterval(3_600))

    #expect(second.json == first.json)
    #expect(try await demo.effects() == effects)
  }

  @Test func eightCopiesAtOnceHaveOneEffect() async throws {
    let demo = try await Demo()

    let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
      for _ in 0..<8 {
        group.addTask { try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded()) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(Set(answers.map { String(decoding: $0.json.bytes, as: UTF8.self) }).count == 1)
    #expect(try await demo.effects() == [6, 4, 7, 2, 7])
  }

  @Test func anotherIDOrFunctionIsAnotherEvent() async throws {
    let demo = try await Demo()
    let function = CommentAdded(store: demo.store())
    _ = try await demo.run(function, on: RowEvent.commentAdded())

    let other = try await demo.run(function, on: RowEvent.commentAdded("e2"))
    let created = try await demo.run(FeedbackCreated(store: demo.store()), on: RowEvent.feedbackCreated())

    // It is told with the first one, at the end of the window.
    #expect(other.result.decisions.count { $0.decision == "hold" } == 3)
    #expect(created.result.notified == 3)
  }

  @Test func whatFailsLeavesNothingAndCanBeRepeated() async throws {
    let demo = try await Demo()
    let function = CommentAdded(store: demo.store())
    try await demo.connection.script("ALTER TABLE deliveries ADD CONSTRAINT never CHECK (app = 'never')")
    await #expect(throws: (any Error).self) { try await demo.run(function, on: RowEvent.commentAdded()) }
    #expect(try await demo.effects() == [0, 0, 0, 0, 0])

    try await demo.connection.script("ALTER TABLE deliveries DROP CONSTRAINT never")
    let answer = try await demo.run(function, on: RowEvent.commentAdded())

    #expect(answer.result.notified == 3)
  }

  @Test func functionsThatTellTheSamePeopleAtOnceDoNotDeadlock() async throws {
    let demo = try await Demo()

    let told = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<6 {
        group.addTask {
          try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded("c\(number)")).told
        }
        group.addTask {
          let event = RowEvent.event(
            "INSERT", "feedbacks", record: #"{"id":"\#(RowEvent.feedback)"}"#, id: "f\(number)")
          return try await demo.run(FeedbackCreated(store: demo.store()), on: event).told
        }
      }
      return try await group.reduce(0, +)
    }

    #expect(told == 36)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE pushed_at IS NOT NULL") == 6)
  }
}

extension Answer {
  /// How many people are told, now or when the window ends.
  fileprivate var told: Int { result.decisions.count { $0.decision != "suppress" } }
}
