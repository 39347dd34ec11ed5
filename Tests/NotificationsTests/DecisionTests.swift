import FoundationEssentials
import Notifications
import Testing

struct DecisionTests {
  @Test(arguments: [
    (Decision.notify, InboxEntry.unread), (.suppress(.noDevice), .unread), (.suppress(.disabled), .uncounted),
    (.suppress(.projectMuted), .uncounted), (.suppress(.typeDisabled), .uncounted), (.suppress(.actor), .none),
    (.suppress(.alreadyHandled), .none), (.suppress(.subjectGone), .none), (.suppress(.notPermitted), .none),
    (.suppress(.duplicate), .none), (.suppress(.viewing), .read), (.suppress(.quietHours), .unread),
    (.suppress(.rateLimited), .unread), (.suppress(.expired), .unread), (.suppress(.unencodable), .unread),
    (.hold(Hold(.batched, until: .distantFuture)), .unread),
  ])
  func leavesItsEntryInTheInbox(decision: Decision, entry: InboxEntry) {
    #expect(decision.inboxEntry == entry)
  }

  @Test func reasonsAreNamedAsTheyAreRecorded() {
    #expect(
      Suppression.allCases.map(\.rawValue) == [
        "actor", "disabled", "project_muted", "type_disabled", "already_handled", "subject_gone", "not_permitted",
        "duplicate", "viewing", "no_device", "quiet_hours", "rate_limited", "expired",
        "unencodable",
      ])
  }

  @Test func aSubmitterIsMoreThanAMemberAndAMemberMoreThanAVoter() {
    #expect(RecipientReason.allCases.sorted() == [.voter, .member, .attendee, .organizer, .submitter, .addressee])
  }
}

struct ActorTests {
  private static let (ada, ben, eva) = (UUID(), UUID(), UUID())

  @Test(arguments: [
    (
      "the event's own word comes first",
      Actor(claimed: ada.uuidString, byID: [ben], byEmail: [ben], asSubmitter: [ben]), [ada]
    ),
    ("then the registered id", Actor(byID: [ada], byEmail: [ben], asSubmitter: [eva]), [ada]),
    ("then the address", Actor(byEmail: [ada, ben], asSubmitter: [eva]), [ada, ben]),
    ("then the submitter", Actor(asSubmitter: [eva]), [eva]),
  ])
  func whatIsSurestComesFirst(_ name: String, actor: Actor, accounts: [UUID]) {
    #expect(actor.accounts == Set(accounts))
  }

  @Test(arguments: [nil, "", "ada", "00000000-0000"])
  func aWordThatIsNoIdIsPassedOver(claimed: String?) {
    #expect(Actor(claimed: claimed, byID: [Self.ben]).accounts == [Self.ben])
  }

  @Test func withoutAClueNobodyIsExcluded() {
    #expect(Actor() == .unknown)
    #expect(Actor.unknown.accounts.isEmpty)
  }
}
