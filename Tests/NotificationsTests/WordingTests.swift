import FoundationEssentials
import PushPayload
import Testing

@testable import Notifications

struct WordingTests {
  @Test(arguments: [
    ("pending", "Pending"), ("approved", "Approved"), ("in_progress", "In Progress"), ("testflight", "TestFlight"),
    ("TestFlight", "TestFlight"), ("completed", "Completed"), ("rejected", "Rejected"),
    ("waiting_for_review", "Waiting For Review"), ("WON'T-FIX", "Won't Fix"), ("", ""),
  ])
  func aStatusHasAName(status: String, name: String) {
    #expect(FeedbackStatus(rawValue: status).displayName == name)
  }

  @Test(arguments: [
    (150 * 60 - 1, "in 2 hours"), (150 * 60, "in 3 hours"), (90 * 60, "in 2 hours"), (90 * 60 - 1, "in 1 hour"),
    (55 * 60, "in 1 hour"), (55 * 60 - 1, "in 50 minutes"), (50 * 60, "in 50 minutes"), (9 * 60, "in 5 minutes"),
    (5 * 60, "in 5 minutes"), (5 * 60 - 1, "in a few minutes"), (0, "in a few minutes"), (-60, "in a few minutes"),
    (24 * 3600, "in 24 hours"), (48 * 3600 - 1, "in 48 hours"), (48 * 3600, "in 2 days"), (60 * 3600 - 1, "in 2 days"),
    (60 * 3600, "in 3 days"), (168 * 3600 - 1, "in 7 days"), (168 * 3600, "in 7 days"),
  ])
  func timeLeftIsRounded(seconds: Int, text: String) {
    let time = TimeLeft(seconds: Double(seconds))
    #expect(Words.english.away(time).text == text)
    #expect("in \(Words.english.amount(time).text)" == text)
  }

  @Test(arguments: [(7_199.98, 120), (7_230, 121), (29, 0), (-60, 0)])
  func aTickComesALittleAfterTheMinute(seconds: Double, minutes: Int) {
    #expect(TimeLeft(seconds: seconds).minutes == minutes)
  }

  @Test(arguments: [(0, "0 votes"), (1, "1 vote"), (2, "2 votes")])
  func votesAreCounted(count: Int, words: String) {
    let vote = NewVote(for: Sample.feedback, count: count)

    #expect(
      vote.text(for: Recipient(.submitter)) == NotificationText(said: "New Vote", "Dark mode now has \(words)"))
    #expect(vote.values["voteCount"] == .string("\(count)"))
  }

  @Test(arguments: [
    (EventVisibility.sharedWithName, "Game Night voting closes in 2 hours"),
    (.busyOnly, "Voting closes in 2 hours"), (.private, "Voting closes in 2 hours"),
  ])
  func aReminderHidesWhatIsPrivate(visibility: EventVisibility, title: String) throws {
    let reminder = Sample.reminder(visibility)

    #expect(
      reminder.text(for: Recipient(.member))
        == NotificationText(said: title, "College Friends needs your response"))
    #expect(
      try reminder.payload(for: Recipient(.member)).encoded().contains("Game Night") == (visibility == .sharedWithName))
  }

  @Test func theInboxKeepsWhatItsColumnsTake() {
    let long = String(repeating: "👩‍👩‍👧", count: 400)

    let text = NotificationText(said: long, long).inInbox

    #expect(text.title.unicodeScalars.count <= 255 && text.title.hasSuffix("👩‍👩‍👧…"))
    #expect(text.body.unicodeScalars.count <= 500 && text.body.hasSuffix("👩‍👩‍👧…"))
  }
}

struct NoticeTests {
  @Test func aReminderEndsWithItsDeadlineAndTheOthersAfterADay() {
    let deadline = Sample.now.addingTimeInterval(7_200)

    #expect(Sample.reminder().pushExpiry(from: Sample.now) == deadline)
    #expect(Sample.reminder().inboxExpiry(from: Sample.now) == deadline)
    #expect(Sample.statusChange.pushExpiry(from: Sample.now) == Sample.now.addingTimeInterval(86_400))
    #expect(Sample.statusChange.inboxExpiry(from: Sample.now) == Sample.now.addingTimeInterval(30 * 86_400))
  }

  @Test func remindersAreKeyedByTheirDeadline() {
    #expect(Sample.reminder().dedupeKey == Sample.reminder(.private).dedupeKey)
    #expect(Sample.reminder().dedupeKey != Sample.reminder(closesIn: 7_201).dedupeKey)
    #expect(NewFeedback(Sample.feedback).dedupeKey == nil)
  }
}
