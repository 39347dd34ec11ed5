/// A call of a function by its name, on databases whose tables make no event for it.
struct ForeignSample: Sendable {
  let function: String
  /// The request, or nil for the function's sample.
  var body: String?
  /// The text that the answer has.
  var says = #""reason":"subject_gone""#

  /// The samples tell of rows that these databases have not.
  static let all =
    [
      "feedback-created", "comment-added", "vote-cast", "status-changed", "friend-requested", "group-invited",
      "conflict-detected", "proposal-created", "proposal-vote-cast", "proposal-updated", "event-confirmed",
      "notification-created", "action-completed",
    ].map { ForeignSample(function: $0) } + [
      ForeignSample(function: "echo", says: #"{ "hello": "world" }"#),
      ForeignSample(function: "proposal-reminder", says: #""notified":0"#),
      ForeignSample(function: "event-reminder", says: #""notified":0"#),
      ForeignSample(function: "proposal-expired", says: #""archived":0"#),
      ForeignSample(function: "notification-cleanup", says: #""isComplete":true"#),
      ForeignSample(function: "unread-check", body: "{}", says: #""given":0"#),
      ForeignSample(function: "activity-channels", says: #""deeds":[]"#),
      ForeignSample(function: "live-activities", body: "{}", says: #""started":0"#),
      ForeignSample(function: "mail-unread", says: #""reason":"off""#),
      ForeignSample(function: "analyze-for-notification", says: #""wasDelivered":true"#),
      ForeignSample(
        function: "push-interaction", body: #"{"notificationId":"{entry}","event":"opened"}"#, says: #""found":true"#),
    ]
}
