import PushPayload

extension AppProfile {
  static let lockItIn = AppProfile(
    title: "LockItIn",
    kinds: Kind.aboutVotes + [EventConfirmation.kind] + GroupEvent.notices.map { $0.kind }
      + [ConflictAlert.kind, FriendRequest.kind, GroupInvite.kind],
    preferences: PreferenceTable(
      table: "user_notification_preferences", isShared: false, masterSwitch: "notifications_enabled",
      sound: "notification_sound", systemSummaries: "summary_notifications_enabled"),
    groups: GroupPreferences(
      name: "group", parents: "groups", table: "group_notification_preferences", column: "group_id",
      level: .word("notification_level"),
      places: [
        .row(of: "event_proposals", by: "proposal_id"), .row(of: "events", by: "event_id"),
        .subject(of: GroupInvite.kind),
      ]),
    badge: .asked, subjectNames: ["proposal_id", "event_id", "friend_request_id", "subject_id"], hasOwnTables: true,
    hasMutableAlerts: true, link: { ReceivedPush<LockItInPush>($0).link },
    summaryValues: { LockItInPush.quietSummary(count: $0).values },
    activity: ActivityRule(
      attributesType: "\(ProposalActivityAttributes.self)", opening: NewProposal.kind),
    hourlyLimit: 5, summarizesQuietHours: true,
    pageSize: 50,
    topic: "com.lockit.app")
}
