import PushPayload
import Testing

struct ActionCategoryTests {
  @Test(arguments: [
    (
      ActionCategory.proposal, "PROPOSAL_NOTIFICATION",
      ["VOTE_YES Yes", "VOTE_MAYBE Maybe", "VOTE_NO No", "MUTE_GROUP Mute Group 1 Hour"]
    ),
    (.eventReminder, "EVENT_REMINDER", ["OPEN_EVENT Open"]),
    (.timeToLeave, "TIME_TO_LEAVE", ["GET_DIRECTIONS Get Directions", "SNOOZE Snooze 5 min"]),
    (.conflictAlert, "CONFLICT_ALERT", ["VIEW_CONFLICT View Conflict"]),
    (.conflictOrganizer, "CONFLICT_ORGANIZER", ["MESSAGE_FRIEND Message"]),
    (
      .friendRequest, "FRIEND_REQUEST", ["FRIEND_ACCEPT Accept", "VIEW_PROFILE View Profile", "FRIEND_DECLINE Decline"]
    ),
    (.groupInvite, "GROUP_INVITE", ["VIEW_GROUP View Group", "GROUP_ACCEPT Accept", "GROUP_DECLINE Decline"]),
    (.memoryPrompt, "MEMORY_PROMPT", ["ADD_PHOTO Add Photo", "MAYBE_LATER Maybe Later"]),
    (
      .smartNotification, "SMART_NOTIFICATION_CATEGORY",
      [
        "REPLY_ACTION Reply", "MARK_READ_ACTION Mark Read", "HELPFUL_ACTION 👍 Helpful",
        "NOT_HELPFUL_ACTION 👎 Not Helpful",
      ]
    ),
  ])
  func aCategoryHasItsButtons(category: ActionCategory, name: String, buttons: [String]) {
    #expect(category.rawValue == name)
    #expect(category.actions.map { "\($0.rawValue) \($0.title)" } == buttons)
  }

  @Test func everyCategoryBelongsToAnAppAndEveryButtonToACategory() {
    #expect(ActionCategory.lockItIn + ActionCategory.messageAI == ActionCategory.allCases)
    #expect(Set(ActionCategory.allCases.flatMap(\.actions)) == Set(PushAction.allCases))
  }

  @Test func whatNeedsNoScreenLeavesTheAppInTheBackground() {
    let background: Set<PushAction> = [.snooze, .muteGroup, .maybeLater, .reply, .markRead, .helpful, .notHelpful]

    #expect(Set(PushAction.allCases.filter { !$0.opensApp }) == background)
    #expect(PushAction.allCases.filter(\.isDestructive) == [.markRead])
  }

  @Test(arguments: [
    ("de", "Ja"), ("de-AT", "Ja"), ("de_CH", "Ja"), ("PT-br", "Sim"), ("ar", "نعم"), ("en-GB", "Yes"), ("tlh", "Yes"),
    ("", "Yes"), ("-", "Yes"), ("de\0", "Yes"),
  ])
  func aTitleIsInTheNearestLanguage(_ language: String, _ title: String) {
    #expect(PushAction.voteYes.title(in: language) == title)
  }

  @Test func aReplyAsksInTheLanguageToo() {
    #expect(PushAction.reply.textInput(in: "fr")?.buttonTitle == "Envoyer")
    #expect(PushAction.reply.textInput(in: "tlh") == PushAction.reply.textInput)
    #expect(PushAction.voteYes.textInput(in: "fr") == nil)
  }

  @Test func aReplyAsksForAText() throws {
    let input = try #require(PushAction.reply.textInput)

    #expect(input.buttonTitle == "Send")
    #expect(input.placeholder == "Type a message...")
    #expect(PushAction.allCases.filter { $0.textInput != nil } == [.reply])
  }
}
