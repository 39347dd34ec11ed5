import FoundationEssentials
import PushPayload
import Testing

@testable import Notifications

/// Names and titles in other directions, in the words of every kind.
struct SentenceTests {
  /// A name that would turn the words around it, and the same where it stands in a sentence.
  static let values = [
    (value: "עומר", shown: "\u{2068}עומר\u{2069}"), ("Mallory\u{202E}", "\u{2068}Mallory\u{2069}"),
    ("\u{2067}a\u{2069}\u{2069}", "\u{2068}\u{2067}a\u{2069}\u{2069}"), ("Zoë 山", "Zoë 山"),
  ]

  /// Notices of all kinds about a value, for whom they are, and what they say, with `#` where the value is.
  static func notices(
    about value: String
  ) -> [(notice: any Notice, recipient: Recipient, title: String, body: String)] {
    let (now, id) = (Sample.now, Sample.user)
    let feedback = Feedback(id: id, projectID: id, title: value, projectName: value)
    func proposal(_ visibility: EventVisibility = .sharedWithName) -> Proposal {
      Proposal(
        id: id, title: value, proposer: value, groupID: id, group: value, deadline: now + 7_200, visibility: visibility)
    }
    let event = GroupEvent(
      id: id, title: value, groupID: id, group: value, location: nil, coordinates: nil, start: now + 1_800,
      end: now + 3_600, visibility: .sharedWithName)
    let conflict = Conflict(
      proposal: id, title: value, organizer: value, visibility: .sharedWithName, start: nil, person: id, name: value,
      existing: nil, existingTitle: value, level: "full")
    let recipient = Recipient(.member)
    let travel = Recipient(.attendee, travel: Travel(minutes: 20, mode: value, traffic: nil))
    let confirmation = EventConfirmation(
      of: id, title: value, organizer: value, start: Date(timeIntervalSince1970: 1_781_532_000), location: value,
      visibility: .sharedWithName)
    return [
      (NewFeedback(feedback), recipient, "New Feedback", "!"),
      (confirmation, recipient, "# confirmed!", "Monday at 2:00 PM"),
      (NewComment(id, on: feedback), recipient, "New Comment", "Comment on: #"),
      (NewVote(for: feedback, count: 2), recipient, "New Vote", "# now has 2 votes"),
      (
        StatusChange(of: feedback, from: FeedbackStatus(rawValue: ""), to: FeedbackStatus(rawValue: "approved")),
        recipient, "Status Updated", "# is now Approved"
      ),
      (
        NewProposal(proposal(), members: 3, at: now), recipient, "# proposed #",
        "Vote needed • Closes in 2 hours"
      ),
      (
        NewProposal(proposal(), members: 3, at: now), Recipient(.member, variant: "event"), "# proposed #",
        "Vote on # • 2 hours"
      ),
      (
        NewProposal(proposal(.private), members: 3, at: now), recipient, "# updated their availability",
        "Vote needed • Closes in 2 hours"
      ),
      (
        DeadlineReminder(of: proposal(), at: now), recipient, "# voting closes in 2 hours",
        "# needs your response"
      ),
      (VoteOnProposal(.yes, by: value, on: proposal()), recipient, "# voted Yes", "on #"),
      (
        OptionsChange(of: proposal(), options: 2, version: 2), recipient, "# times changed",
        "Please vote again on new options"
      ),
      (ConflictAlert(conflict), recipient, "You have a scheduling conflict", "# conflicts with #"),
      (ConflictAlert(conflict), Recipient(.organizer), "# has a scheduling conflict", "with #"),
      (EventDayBefore(of: event, at: now), recipient, "# starts in 30 minutes", "!"),
      (EventStartingSoon(of: event, at: now), recipient, "# starts in 30 minutes", "!"),
      (TimeToLeave(of: event, at: now), travel, "Time to leave for #!", "20 min away via #"),
      (MemoryPrompt(of: event, at: now), recipient, "How was #?", "Add a photo to memories"),
      (FriendRequest(id, from: id, named: value), recipient, "# sent you a friend request", "Tap to view"),
      (
        GroupInvite(to: id, named: value, by: (id, value)), recipient, "You were added to #",
        "# invited you"
      ),
    ]
  }

  @Test(arguments: values) func aValueIsIsolatedInEverySentence(value: String, shown: String) {
    for (notice, recipient, title, body) in Self.notices(about: value) {
      let text = notice.text(for: recipient)
      #expect(text.title.scalars == title.replacing("#", with: shown).scalars)
      // A title or a place stands alone: it turns nothing.
      #expect(text.body.scalars == (body == "!" ? value.closed : body.replacing("#", with: shown)).scalars)
    }
  }

  @Test(arguments: values) func mergedTextsListsAndSummariesToo(value: String, shown: String) {
    let newest = NotificationText(title: "N", body: Sentence(alone: value))
    func merged(_ family: Kind.BatchingFamily) -> NotificationText {
      Merged(
        [Act("1", named: value), Act("2", named: "Ada"), Act("3", named: nil)], in: family, newest: newest,
        subjectName: value
      ).text
    }

    #expect(merged(.votes).body.scalars == "3 people voted for \(shown)".scalars)
    #expect(merged(.newFeedback).body.scalars == "3 new items in \(shown)".scalars)
    #expect(merged(.proposalVotes).title.scalars == "3 people voted on \(shown)".scalars)
    #expect(merged(.proposalVotes).body.scalars == "\(shown), Ada and 1 other".scalars)
    #expect(merged(.likes).body.scalars == "\(shown), Ada and 1 other • \(shown)".scalars)
    #expect(merged(.messages).body.scalars == "\(value.closed.isolated) (3 new messages)".scalars)
    #expect(merged(.statuses).body.scalars == "3 items updated in \(shown)".scalars)
    let summary = QuietSummary(of: [value, "Ada asks", value, "x"]).text.body
    #expect(summary.scalars == "\(shown) (2) • Ada asks • x".scalars)
  }

  @Test func aTemplatesFactsAreIsolatedToo() throws {
    let kind = try #require(Kind.named("quote_approved", of: .repairMinder))
    let entry = AppEntry(
      id: Sample.user, columns: ["entity_id": "1"],
      data: ["customer_name": "דנה", "order_number": "7", "amount": "£5"])

    let text = try AppNotice(kind, entry).text(for: Recipient(.addressee))

    #expect(text.body.scalars == "\u{2068}דנה\u{2069} approved quote for Order #7 (£5)".scalars)
  }

  @Test(arguments: ["", " ", "\u{3000}", "\u{200B}\u{2060}"]) func aTextOfSpacesIsNoText(blank: String) throws {
    let kind = try #require(Kind.named("payment_received", of: .repairMinder))
    for (title, body) in [(blank, "£5"), ("Paid", blank)] {
      let entry = AppEntry(
        id: Sample.user, columns: ["title": .string(title), "body": .string(body), "entity_id": "1"], data: [:])
      #expect(throws: UnusableEntry.self) { try AppNotice(kind, entry) }
    }
    #expect(NameList([blank, "Ada"], of: 2).text() == "Ada and 1 other")
    let words = NotificationText(title: "N", body: "n")
    #expect(
      Merged([Act("1", named: blank), Act("2", named: nil)], in: .votes, newest: words, subjectName: blank).text.body
        == "2 people voted")
    let event = GroupEvent(
      id: Sample.user, title: blank, groupID: Sample.user, group: "Crew", location: blank, coordinates: nil,
      start: Sample.now, end: Sample.now, visibility: .sharedWithName)
    #expect(
      EventStartingSoon(of: event, at: Sample.now).text(for: Recipient(.attendee))
        == NotificationText(title: "An event starts now", body: "Crew"))
  }

  @Test func aCriticalAlertHasItsOwnSoundUnlessThePersonChoseOne() {
    let conflict = Conflict(
      proposal: Sample.user, title: "T", organizer: "O", visibility: .sharedWithName, start: nil, person: Sample.user,
      name: "N", existing: nil, existingTitle: nil, level: "full")
    func sound(_ chosen: String?, critical: Bool) -> String? {
      ConflictAlert(conflict).payload(for: Recipient(.addressee), sound: chosen, allowsCritical: critical).sound
    }

    #expect(sound(nil, critical: true) == "critical.caf" && sound("default", critical: true) == "critical.caf")
    #expect(sound("alarm.caf", critical: true) == "alarm.caf" && sound(nil, critical: false) == "default")
  }
}

extension String {
  fileprivate var scalars: [Unicode.Scalar] { Array(unicodeScalars) }
}
