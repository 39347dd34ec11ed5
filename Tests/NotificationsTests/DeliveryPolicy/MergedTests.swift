import Notifications
import PushPayload
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
      (.statuses, "Newest", "3 items updated in Dark mode"),
      (.conflicts, "3 people have a scheduling conflict", "See you"),
    ] as [(Kind.BatchingFamily, String, String)])
  func severalAreOneWithTheirNumber(family: Kind.BatchingFamily, title: String, body: String) {
    let merged = Merged(acts("Mike", "Jessica", "Sarah"), in: family, newest: newest, subjectName: "Dark mode")

    #expect(merged.text == NotificationText(said: title, body))
  }

  @Test(
    arguments: [
      (.votes, "New Votes", "2 people voted"), (.comments, "New Comments", "2 people commented"),
      (.newFeedback, "New Feedback", "2 new items"), (.proposalVotes, "2 people voted", "Mike and Anna"),
      (.likes, "2 people liked your visit", "Mike and Anna"),
      (.visitComments, "2 people commented on your visit", "Mike and Anna"),
    ] as [(Kind.BatchingFamily, String, String)])
  func aSubjectThatMayNotBeNamedIsLeftOut(family: Kind.BatchingFamily, title: String, body: String) {
    let merged = Merged(acts("Mike", "Anna"), in: family, newest: newest)

    #expect(merged.text == NotificationText(said: title, body))
  }

  @Test(
    arguments: [
      (.proposalVotes, "Blue Bottle", "See you"), (.likes, "Blue Bottle", "Blue Bottle"),
      (.visitComments, "Blue Bottle", "Blue Bottle"), (.likes, nil, "See you"), (.visitComments, nil, "See you"),
    ] as [(Kind.BatchingFamily, String?, String)])
  func peopleWithoutNamesAreNotListed(family: Kind.BatchingFamily, subject: String?, body: String) {
    #expect(Merged(acts(nil, nil, nil), in: family, newest: newest, subjectName: subject).text.body == body)
  }

  @Test(arguments: [Kind.BatchingFamily.votes, .newFeedback, .proposalVotes, .likes, .messages, .conflicts])
  func theOnlyOneKeepsItsWords(family: Kind.BatchingFamily) {
    let twice = acts("Mike") + acts("Mike")

    #expect(Merged(twice, in: family, newest: newest, subjectName: "Dark mode").text == newest)
    #expect(Merged([], in: family, newest: newest).text == newest)
  }

  @Test func howThingsStandIsSaidByTheNewest() {
    #expect(Merged(acts("Mike", "Anna"), in: .leads, newest: newest).text == newest)
  }

  @Test func severalNewFeedbacksOpenTheirProject() {
    let project = "b0000000-0000-4000-8000-000000000001"
    let merged = { Merged(acts("a", "b"), in: $0, newest: newest).values(["projectId": .string(project)])["actionUrl"] }

    #expect(merged(.newFeedback) == .string("feedbackkit://project/\(project)"))
    #expect(merged(.votes) == nil)
  }

  @Test func aLongMessageLosesItsEndAndNotTheNumber() {
    let long = NotificationText(said: "Anna", String(repeating: "é", count: 3_000))

    let text = Merged((0..<12).map { Act("\($0)", named: nil) }, in: .messages, newest: long).text

    #expect(text.inInbox.body.hasSuffix("é… (12 new messages)"))
  }

  private func acts(_ names: String?...) -> [Act] {
    names.enumerated().map { Act($1 ?? "nobody \($0)", named: $1) }
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
    #expect(NameList(names, of: count).text() == text)
  }
}

struct FallbackStrategyTests {
  @Test func theStrategiesAreSpelledAsTheAppSpellsThem() {
    #expect(FallbackStrategy.allCases.map(\.rawValue) == ["simple_rules", "notify_all", "suppress_all"])
  }
}
