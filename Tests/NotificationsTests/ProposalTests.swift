import FoundationEssentials
import Testing

@testable import Notifications

struct ProposalTests {
  private static let ids = (1...3).map { UUID(uuid: (UInt8($0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

  private func tally(_ number: Int, yes: Int, maybe: Int = 0, at seconds: Double = 0) -> OptionTally {
    OptionTally(
      option: Self.ids[number], startsAt: Sample.now, yes: yes, maybe: maybe,
      lastVote: Sample.now.addingTimeInterval(seconds))
  }

  @Test func mostYesThenMostMaybeThenWhoeverCameThereFirstLeads() {
    #expect([tally(0, yes: 1, maybe: 5), tally(1, yes: 2)].leader?.option == Self.ids[1])
    #expect([tally(0, yes: 2), tally(1, yes: 2, maybe: 1, at: 9)].leader?.option == Self.ids[1])
    #expect([tally(0, yes: 2, at: 9), tally(1, yes: 2, at: 3)].leader?.option == Self.ids[1])
    #expect([tally(1, yes: 2), tally(0, yes: 2)].leader?.option == Self.ids[0])
  }

  @Test func nobodyLeadsWithoutAYes() {
    #expect([tally(0, yes: 0, maybe: 3), tally(1, yes: 0)].leader == nil)
    #expect([OptionTally]().leader == nil)
  }

  @Test func aVoteIsAddedToItsOption() {
    let tallies = [tally(0, yes: 1), tally(1, yes: 1)]
    let later = Sample.now.addingTimeInterval(5)

    #expect(tallies.adding(.yes, for: Self.ids[1], at: later) == [tally(0, yes: 1), tally(1, yes: 2, at: 5)])
    #expect(tallies.adding(.maybe, for: Self.ids[0], at: later)[0] == tally(0, yes: 1, maybe: 1, at: 5))
    #expect(tallies.adding(.no, for: Self.ids[0], at: later) == tallies)
    #expect(tallies.adding(nil, for: Self.ids[0], at: later) == tallies)
  }

  @Test(arguments: [
    (0.0, "UTC", "Thursday", "12:00 AM", "Thu 12am"), (43_200, nil, "Thursday", "12:00 PM", "Thu 12pm"),
    (46_859, "UTC", "Thursday", "1:00 PM", "Thu 1pm"), (-1, "UTC", "Wednesday", "11:59 PM", "Wed 11:59pm"),
    (0, "America/New_York", "Wednesday", "7:00 PM", "Wed 7pm"),
    (300, "Mars/Base", "Thursday", "12:05 AM", "Thu 12:05am"),
  ])
  func aMomentInSomebodysWords(seconds: Double, zone: String?, weekday: String, time: String, slot: String) {
    let local = LocalTime(Date(timeIntervalSince1970: seconds), in: zone)

    #expect([local.weekday, local.time, local.slot] == [weekday, time, slot])
  }
}
