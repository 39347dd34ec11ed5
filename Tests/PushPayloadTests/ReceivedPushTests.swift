import FoundationEssentials
import PushPayload
import Testing

struct ReceivedPushTests {
  private static let text = "550e8400-e29b-41d4-a716-446655440000"
  private static let otherText = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
  private let id = UUID(uuidString: text) ?? UUID()
  private let other = UUID(uuidString: otherText) ?? UUID()

  @Test func feedbackKitsExampleIsUnderstood() throws {
    let push = try #require(
      ReceivedPush<FeedbackKitPush>(
        json: #"""
          {"aps": {"alert": {"title": "New Feedback", "body": "Feature request: Dark mode support"},
                   "badge": 1, "sound": "default", "mutable-content": 1},
           "type": "new_feedback", "feedbackId": "\#(Self.text)", "projectId": "\#(Self.otherText)",
           "actionUrl": "feedbackkit://feedback/\#(Self.text)"}
          """#.utf8))

    #expect(push.content == .newFeedback(id, project: other))
    #expect(push.payload.alert == .init(title: "New Feedback", body: "Feature request: Dark mode support"))
    #expect(push.payload.badge == 1)
    #expect(push.payload.isMutable)
    #expect(push.link == .feedback(id))
    #expect(push.notificationID == nil)
  }

  @Test func repairMindersExampleIsUnderstood() throws {
    let push = try #require(
      ReceivedPush<RepairMinderPush>(
        json: """
          {"aps": {"alert": {"title": "Ticket Reopened", "body": "Customer replied to ticket #4521"}, "badge": 2},
           "type": "ticket_reopened", "entity_id": "ticket-uuid-here", "notification_id": "\(Self.text)"}
          """.utf8))

    #expect(push.content == RepairMinderPush(.ticketReopened, entity: "ticket-uuid-here"))
    #expect(push.link == .ticket("ticket-uuid-here"))
    #expect(push.notificationID == id)
  }

  @Test func mugshotsExampleIsUnderstood() throws {
    let push = try #require(
      ReceivedPush<MugshotPush>(
        json: """
          {"aps": {"alert": {"title": "T", "body": "B"}, "sound": "default", "badge": 1}, "type": "friend_request",
           "actor_username": "ada", "actor_avatar_url": "https://x/y", "friend_user_id": "u1", "cafe_name": "Blue",
           "tap_action": "friend_profile"}
          """.utf8))

    #expect(push.content.kind == .friendRequest)
    #expect(push.content.actorUsername == "ada")
    #expect(push.content.actorAvatarURL == "https://x/y")
    #expect(push.content.cafeName == "Blue")
    #expect(push.content.target == .friendProfile("u1"))
    #expect(push.link == nil)
  }

  @Test func messageAIsExampleIsUnderstoodWithWhatFCMAdds() {
    let push = ReceivedPush<MessageAIPush>(userInfo: [
      "aps": [
        "alert": ["title": "MessageAI", "body": "Ada needs you"], "thread-id": "c1",
        "category": "SMART_NOTIFICATION_CATEGORY",
      ] as [String: Any],
      "conversationId": "c1", "messageId": "m1", "priority": "high", "type": "smart_notification",
      "gcm.message_id": "1", "google.c.a.e": true, 7: "x", "notificationId": Self.text,
    ])

    #expect(push.content == .smartNotification(.init(conversation: "c1", message: "m1"), priority: .high))
    #expect(push.payload.category.flatMap(ActionCategory.init) == .smartNotification)
    #expect(push.payload.threadID == "c1")
    #expect(push.notificationID == id)
  }

  @Test func aConflictIsTheOrganizersWhenItNamesSomebodyElse() {
    let values: [String: PushPayload.Value] = ["proposal_id": .string(Self.text), "conflict_level": "hard"]
    let organizers = values.merging(["conflicted_user_id": .string(Self.otherText)]) { old, _ in old }

    #expect(
      LockItInPush(type: "conflict_alert", values: values)
        == .conflict(proposal: id, existingEvent: nil, level: "hard"))
    #expect(
      LockItInPush(type: "conflict_alert", values: organizers)
        == .conflictOfMember(other, name: nil, proposal: id))
  }

  @Test func aTypeMeansWhatItsAppSays() {
    let json = #"{"type":"friend_request","friend_request_id":"\#(Self.text)","requester_name":"Ada"}"#

    #expect(ReceivedPush<LockItInPush>(json: json.utf8)?.content == .friendRequest(id, from: nil, name: "Ada"))
    #expect(ReceivedPush<MugshotPush>(json: json.utf8)?.content.kind == .friendRequest)
    #expect(ReceivedPush<FeedbackKitPush>(json: json.utf8)?.content == .other(type: "friend_request"))
  }

  @Test func anUnknownTypeKeepsItsNameAndItsLink() {
    let json = #"{"type":"brand_new","deep_link":"lockit://inbox","entity_id":"7","x":1}"#

    #expect(ReceivedPush<LockItInPush>(json: json.utf8)?.content == .other(type: "brand_new"))
    #expect(ReceivedPush<LockItInPush>(json: json.utf8)?.link == .inbox)
    #expect(ReceivedPush<MessageAIPush>(json: json.utf8)?.content == .other(type: "brand_new"))
    #expect(ReceivedPush<MugshotPush>(json: json.utf8)?.content.type == "brand_new")
    let repair = ReceivedPush<RepairMinderPush>(json: json.utf8)
    #expect(repair?.content.type == "brand_new")
    #expect(repair?.content.kind == nil)
    #expect(repair?.payload.values["x"] == 1)
  }

  @Test func aTypeWithoutItsIDOpensNothing() {
    #expect(LockItInPush(type: "event_confirmed", values: ["event_id": "7"]) == .other(type: "event_confirmed"))
    #expect(FeedbackKitPush(type: "new_vote", values: [:]) == .other(type: "new_vote"))
    #expect(MessageAIPush(type: "smart_notification", values: [:]) == .other(type: "smart_notification"))
    #expect(RepairMinderPush(.orderCreated, entity: "").link == nil)
    var visit = MugshotPush(.like)
    visit.tapAction = "visit_detail"
    #expect(visit.target == nil)
  }

  @Test func numbersMayBeTextsAndTextsNumbers() {
    let values: [String: PushPayload.Value] = ["feedbackId": .string(Self.text), "voteCount": 3]

    #expect(FeedbackKitPush(type: "new_vote", values: values) == .newVote(feedback: id, project: nil, count: 3))
    #expect(
      FeedbackKitPush(type: "new_vote", values: values.merging(["voteCount": "4"]) { $1 })
        == .newVote(feedback: id, project: nil, count: 4))
    #expect(RepairMinderPush(type: "order_created", values: ["entity_id": 1234]).link == .order("1234"))
  }

  @Test func applesOtherShapesAreUnderstood() throws {
    let push = try #require(
      PushPayload(json: #"{"aps":{"alert":"Only a body","sound":{"critical":1,"name":"alarm.caf","volume":0.5}}}"#.utf8)
    )

    #expect(push.alert == .init(body: "Only a body"))
    #expect(push.sound == "alarm.caf")
  }

  @Test func aCountOfVotesHasNoTypeAndOpensNothing() {
    let json = #"{"aps":{"content-available":1},"proposal_id":"\#(Self.text)","vote_count":5}"#
    let push = ReceivedPush<LockItInPush>(json: json.utf8)

    #expect(push?.content == .voteCount(proposal: id, count: 5) && push?.link == nil)
  }

  @Test func aSummaryOpensTheInbox() {
    let json = #"{"aps":{"alert":{"title":"5 things while it was quiet"}},"type":"quiet_summary","count":5}"#
    let push = ReceivedPush<LockItInPush>(json: json.utf8)

    #expect(push?.content == .quietSummary(count: 5) && push?.link == .inbox)
    #expect(LockItInPush(type: "quiet_summary", values: [:]) == .other(type: "quiet_summary"))
  }

  @Test func aBadgeOnlyPushHasNoType() {
    #expect(ReceivedPush<LockItInPush>(json: #"{"aps":{"badge":0}}"#.utf8)?.content == .other(type: nil))
  }

  @Test func timesAreToTheSecondInUTC() {
    let deadline = Date(timeIntervalSince1970: 1_795_255_200)
    let push = LockItInPush.proposalCreated(proposal: id, group: nil, title: nil, deadline: deadline)

    #expect(push.values["deadline_timestamp"] == "2026-11-21T10:00:00Z")
    #expect(push.values["deep_link"] == .string("lockit://proposals/\(Self.text)"))
  }
}
