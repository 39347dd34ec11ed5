import Foundation
import Testing

@testable import StoreLive

struct VoteCountsTests {
  private let counts = VoteCounts()
  private let feedback = UUID()
  private let other = UUID()
  private let now = ContinuousClock.now

  @Test func aLargeNumberIsKeptForASecond() {
    counts.keep(VoteCounts.many, of: feedback, at: now)

    #expect(counts.recent(of: feedback, at: now + .milliseconds(999)) == VoteCounts.many)
    #expect(counts.recent(of: feedback, at: now + .seconds(1)) == nil)
    #expect(counts.recent(of: other, at: now) == nil)
  }

  @Test func aSmallerNumberIsCountedEachTime() {
    counts.keep(VoteCounts.many, of: feedback, at: now)
    counts.keep(VoteCounts.many - 1, of: feedback, at: now)

    #expect(counts.recent(of: feedback, at: now) == nil)
  }

  @Test func anotherFeedbackDoesNotTakeTheNumberAway() {
    counts.keep(20_000, of: feedback, at: now)
    counts.keep(30_000, of: other, at: now + .milliseconds(500))

    #expect(counts.recent(of: feedback, at: now + .milliseconds(600)) == 20_000)
    #expect(counts.recent(of: other, at: now + .milliseconds(1_400)) == 30_000)
  }
}
