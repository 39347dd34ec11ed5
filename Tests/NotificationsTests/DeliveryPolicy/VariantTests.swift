import FoundationEssentials
import Notifications
import Testing

/// The texts of a new proposal that can be tried out.
struct VariantTests {
  private func notice(
    _ visibility: EventVisibility = .sharedWithName, members: Int = 4, closesIn seconds: TimeInterval = 86_400
  ) -> NewProposal {
    NewProposal(Sample.proposal(visibility, closesIn: seconds), members: members, at: Sample.now)
  }

  @Test(
    arguments: [
      (nil, "Vote needed • Closes in 24 hours"), ("control", "Vote needed • Closes in 24 hours"),
      ("urgency", "Vote needed • 24 hours left!"), ("names", "3 people need your vote"),
      ("event", "Vote on Game Night • 24 hours"), ("forgotten", "Vote needed • Closes in 24 hours"),
    ] as [(String?, String)])
  func eachHasItsOwnWords(variant: String?, body: String) {
    let text = notice().text(for: Recipient(.member, variant: variant))

    #expect(text == NotificationText(said: "Sarah proposed Game Night", body))
  }

  @Test func theNumbersInThemAreRight() {
    func body(_ variant: String) -> String {
      notice(members: 2, closesIn: 200).text(for: Recipient(.member, variant: variant)).body
    }

    #expect(body("names") == "1 person needs your vote")
    #expect(body("urgency") == "Vote needed • a few minutes left!")
    #expect(body("event") == "Vote on Game Night • a few minutes")
  }

  @Test func everybodyKeepsTheirsAndEachHasItsShare() {
    let people = (0..<8_000).map { number in
      UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xff)))
    }

    let shares = Dictionary(grouping: people) { notice().variant(for: $0) ?? "none" }.mapValues(\.count)

    #expect(Set(shares.keys) == ["control", "urgency", "names", "event"])
    #expect(shares.values.allSatisfy { abs($0 - 2_000) < 200 }, "\(shares)")
    #expect(people.allSatisfy { notice().variant(for: $0) == notice(closesIn: 9_000).variant(for: $0) })
  }

  @Test func nothingIsTriedOutWhereAVariantHasNothingToSay() {
    #expect([EventVisibility.busyOnly, .private].allSatisfy { notice($0).variant(for: Sample.user) == nil })
    #expect(notice(members: 1).variant(for: Sample.user) == nil)
    #expect(Sample.reminder().variant(for: Sample.user) == nil)
  }
}
