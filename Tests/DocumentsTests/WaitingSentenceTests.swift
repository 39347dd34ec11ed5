import Documents
import Foundation
import Testing

/// What the console says of people who are told later.
struct WaitingSentenceTests {
  @Test(arguments: [
    ("batched", "in one message"), ("quiet_hours", "in one message"), ("muted", "in one message"),
    ("rate_limited", "one by one"),
  ])
  func itSaysHowManyPushesThereWillBe(_ reason: String, _ way: String) {
    let waiting = PeopleDocument.Waiting(
      person: PersonSummary(id: RowID(uuid: UUID()), name: "Grace", email: nil), app: "feedbackkit", kind: "new_vote",
      reason: reason, count: 3, until: Date(timeIntervalSince1970: 0), words: "3 votes", subjectName: "Night mode")

    #expect(waiting.sentence == "3 votes on Night mode, told \(way) at")
  }
}
