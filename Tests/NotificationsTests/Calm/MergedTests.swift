import Notifications
import Testing

struct MergedTests {
  @Test(
    arguments: [
      (.votes, "New Votes", "3 people voted for Dark mode"),
      (.comments, "New Comments", "3 people commented on Dark mode"),
      (.newFeedback, "New Feedback", "3 new items in Dark mode"),
      (.proposalVotes, "3 people voted on Dark mode", "Mike, Jessica and 1 other"),
      (.likes, "3 people liked your visit", "Mike, Jessica and 1 other • Dark mode"),
      (.visitComments, "3 people commented on your visit", "Mike, Jessica and 1 other • Dark mode"),
      (.messages, "Newest", "See you (3 new messages)"),
    ] as [(Kind.BatchingFamily, String, String)])
  func severalAreOneWithTheirNumber(family: Kind.BatchingFamily, title: String, body: String) {
    let merged = Merged(count: 3, names: ["Mike", "Jessica", "Sarah"], newest: newest, subjectName: "Dark mode")

    #expect(merged.text(for: family) == NotificationText(title: title, body: body))
  }

  @Test(
    arguments: [
      (.votes, "New Votes", "2 people voted"), (.comments, "New Comments", "2 people commented"),
      (.newFeedback, "New Feedback", "2 new items"), (.proposalVotes, "2 people voted", "Mike and Anna"),
      (.likes, "2 people liked your visit", "Mike and Anna"),
      (.visitComments, "2 people commented on your visit", "Mike and Anna"),
    ] as [(Kind.BatchingFamily, String, String)])
  func aSubjectThatMayNotBeNamedIsLeftOut(family: Kind.BatchingFamily, title: String, body: String) {
    let merged = Merged(count: 2, names: ["Mike", "Anna"], newest: newest)

    #expect(merged.text(for: family) == NotificationText(title: title, body: body))
  }

  @Test(
    arguments: [
      (.proposalVotes, "Blue Bottle", "See you"), (.likes, "Blue Bottle", "Blue Bottle"),
      (.visitComments, "Blue Bottle", "Blue Bottle"), (.likes, nil, "See you"), (.visitComments, nil, "See you"),
    ] as [(Kind.BatchingFamily, String?, String)])
  func peopleWithoutNamesAreNotListed(family: Kind.BatchingFamily, subject: String?, body: String) {
    #expect(Merged(count: 3, newest: newest, subjectName: subject).text(for: family).body == body)
  }

  @Test(arguments: [1, 0], [Kind.BatchingFamily.votes, .newFeedback, .proposalVotes, .likes, .messages])
  func theOnlyOneKeepsItsWords(count: Int, family: Kind.BatchingFamily) {
    let merged = Merged(count: count, names: ["Mike"], newest: newest, subjectName: "Dark mode")

    #expect(merged.text(for: family) == newest)
  }

  @Test func aLongMessageLosesItsEndAndNotTheNumber() {
    let long = NotificationText(title: "Anna", body: String(repeating: "é", count: 3_000))

    let text = Merged(count: 12, newest: long).text(for: .messages)

    #expect(text.inInbox.body.hasSuffix("é… (12 new messages)"))
  }

  private let newest = NotificationText(title: "Newest", body: "See you")
}

struct NameListTests {
  @Test(
    arguments: [
      (["Mike"], 1, "Mike"), (["Mike", "Anna"], 2, "Mike and Anna"),
      (["Mike", "Anna", "Jo"], 3, "Mike, Anna and 1 other"),
      (["Mike", "Anna"], 5, "Mike, Anna and 3 others"), (["Mike"], 2, "Mike and 1 other"),
      (["Mike"], 4, "Mike and 3 others"), (["Mike", "Anna", "Jo"], 0, "Mike, Anna and 1 other"),
      (["", "Anna"], 2, "Anna and 1 other"), ([], 3, nil), ([""], 1, nil),
    ] as [([String], Int, String?)])
  func twoAreNamedAndTheRestCounted(names: [String], count: Int, text: String?) {
    #expect(NameList(names, of: count).text == text)
  }
}

struct FallbackStrategyTests {
  @Test func theStrategiesAreSpelledAsTheAppSpellsThem() {
    #expect(FallbackStrategy.allCases.map(\.rawValue) == ["simple_rules", "notify_all", "suppress_all"])
  }
}
