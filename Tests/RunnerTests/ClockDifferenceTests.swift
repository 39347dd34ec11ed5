import CLI
import FoundationEssentials
import Testing

@testable import Runner

struct ClockDifferenceTests {
  @Test(arguments: [
    (0.5, 0), (-1.9, 0), (1, 0), (2.5, 0), (-2.1, -2.1), (4, 3), (90_000, 89_999), (-3_600, -3_600),
  ])
  func whatTheQuestionTookCountsForNothing(_ ahead: TimeInterval, _ seconds: TimeInterval) {
    let asked = Date(timeIntervalSince1970: 1_800_000_000)
    let difference = ClockDifference(database: asked + ahead, asked: asked, answered: asked + 1)

    let isSaid = abs(seconds) > 2
    if isSaid { #expect(abs(difference.seconds - seconds) < 0.001) }
    #expect(difference.finding.detail.contains(ahead > 0 ? "ahead of" : "behind") == isSaid)
  }
}
