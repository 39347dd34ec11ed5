import System
import Testing

@testable import Console

/// An answer that many pages ask for is read once, and a page does not wait where that takes long.
@Suite @RunnerLoop
struct LastAnswersTests {
  private let kept: LastAnswers
  private let changes: AsyncStream<Void>

  init() {
    // Everything takes long, and may be read again at once.
    let pace = Pace(share: 0, pause: .zero, longest: .nanoseconds(-1), oldest: .seconds(3_600))
    kept = LastAnswers(pace: pace) { _ in fatalError("No command runs here.") }
    let (stream, change) = AsyncStream.makeStream(of: Void.self)
    (changes, kept.onChange, kept.isBusy) = (stream, { change.yield() }, { true })
  }

  private func number(_ read: @escaping @Sendable () async throws -> Int) async throws -> Int? {
    try await kept.reading("a number", read) as? Int
  }

  private func nextChange() async { for await _ in changes { return } }

  @Test func aPageGetsTheLastAnswerAndTheNextOneIsMadeBehindIt() async throws {
    let (held, gate) = AsyncStream.makeStream(of: Void.self)

    let first = try await number { 1 }
    let late = try await number {
      for await _ in held { break }
      return 2
    }
    let stillLate = try await number { 3 }
    gate.yield()
    await nextChange()
    let second = try await number { 4 }

    #expect(first == 1 && late == 1 && stillLate == 1)
    #expect(second == 2)
  }

  @Test func afterAChangeAPageWaitsForWhatWasReadSince() async throws {
    let (held, gate) = AsyncStream.makeStream(of: Void.self)
    _ = try await number { 1 }
    _ = try await number {
      for await _ in held { break }
      return 2
    }

    kept.forget()
    gate.yield()
    let answer = try await number { 3 }

    #expect(answer == 3)
  }

  @Test func aPageWaitsWhereTheQueueIsNotFull() async throws {
    kept.isBusy = { false }

    _ = try await number { 1 }
    let second = try await number { 2 }

    #expect(second == 2)
  }

  @Test func anOldFailureIsGivenToNobody() async throws {
    struct Away: Error {}

    await #expect(throws: Away.self) { try await number { throw Away() } }
    let answer = try await number { 1 }

    #expect(answer == 1)
  }

  @Test func whatIsQuickOrTooOldIsReadAnew() {
    let pace = Pace(share: 10)

    let quick = pace.end(after: .milliseconds(20), mayBeLate: true)
    let slow = pace.end(after: .milliseconds(300), mayBeLate: true)
    let failed = pace.end(after: .milliseconds(300), mayBeLate: false)

    #expect(quick.late == quick.fresh && failed.late == failed.fresh)
    #expect(slow.late == slow.fresh + .seconds(5))
    #expect(slow.fresh > quick.fresh + .milliseconds(1_900))
  }
}
