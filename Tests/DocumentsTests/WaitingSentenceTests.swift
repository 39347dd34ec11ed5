import Documents
import Foundation
import Testing

/// The console's sentence about people who are told later.
struct WaitingSentenceTests {
  @Test(arguments: [
    ("batched", "in one message"), ("quiet_hours", "in one message"), ("muted", "in one message"),
    ("rate_limited", "one by one"),
  ])
  func itSaysHowManyPushesThereWillBe(_ reason: String, _ way: String) {
    var waiting = PeopleDocument.Waiting(
      person: PersonSummary(id: RowID(uuid: UUID()), name: "Grace", email: nil), app: "feedbackkit", kind: "new_vote",
      reason: reason, count: 3, until: Date(timeIntervalSince1970: 0), words: "3 votes", subjectName: "Night mode")

    #expect(waiting.sentence == "3 votes on Night mode, told \(way) at")
    // What a release would decide counts.
    let push = PeopleDocument.Message(newest: waiting.person.id, count: 3, said: .init(title: nil, body: nil))
    waiting.messages = [push]
    #expect(waiting.sentence.hasSuffix("told in one message at"))
    waiting.messages = [push, push]
    #expect(waiting.sentence.hasSuffix("told one by one at"))
    waiting.messages = []
    #expect(waiting.sentence.hasSuffix("told \(way) at"))
  }
}
