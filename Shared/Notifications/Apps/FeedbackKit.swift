import Formats
package import FoundationEssentials
package import PushPayload

extension AppProfile {
  static let feedbackKit = AppProfile(
    title: "FeedbackKit", kinds: [NewFeedback.kind, NewComment.kind, NewVote.kind, StatusChange.kind],
    preferences: PreferenceTable(hasSwitchesInUsers: true, masterSwitch: "push_notifications_enabled"),
    groups: GroupPreferences(
      name: "project", parents: "projects", table: "project_member_preferences", column: "project_id",
      level: .muted("push_muted"), prefix: "push_notify_", places: [.column("project_id")]),
    subjectNames: ["feedback_id", "feedbackId", "subject_id"], hasOwnTables: true, idKey: .camelCase,
    hasMutableAlerts: true, link: { ReceivedPush<FeedbackKitPush>($0).link },
    topic: "com.swiftly-developed.feedbackkit.admin")
}

/// The facts about a feedback in FeedbackKit's notices.
package struct Feedback: Sendable, Equatable {
  package let id: UUID
  package let projectID: UUID
  /// Its title, of any length.
  package let title: String
  /// `nil` if the project has no name.
  package let projectName: String?

  package init(id: UUID, projectID: UUID, title: String, projectName: String? = nil) {
    (self.id, self.projectID, self.title, self.projectName) = (id, projectID, title, projectName)
  }

  fileprivate var subject: Subject { .feedback(id, project: projectID) }
}

/// A feedback arrived.
package struct NewFeedback: NoticeOfOneKind {
  package static let kind = Kind(
    .feedbackKit, "new_feedback", importance: .normal, preference: .init("push_notify_new_feedback", inGroups: true),
    family: .newFeedback)

  let feedback: Feedback

  package init(_ feedback: Feedback) { self.feedback = feedback }

  /// Feedback is counted per project.
  package var part: BatchPart? {
    BatchPart(of: feedback.projectID.lowercased, named: feedback.projectName, by: feedback.id.lowercased)
  }

  package var subject: Subject { feedback.subject }
  package var values: [String: PushPayload.Value] {
    FeedbackKitPush.newFeedback(feedback.id, project: feedback.projectID).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    NotificationText(
      title: recipient.words("feedbackkit.new_feedback.title"), body: Sentence(alone: feedback.title))
  }
}

/// Somebody commented.
package struct NewComment: NoticeOfOneKind {
  package static let kind = Kind(
    .feedbackKit, "new_comment", importance: .normal, preference: .init("push_notify_new_comments", inGroups: true),
    family: .comments)

  let feedback: Feedback
  let comment: UUID
  let author: String?

  /// - Parameter author: the key that tells the author from other people.
  package init(_ comment: UUID, on feedback: Feedback, by author: String? = nil) {
    (self.comment, self.feedback, self.author) = (comment, feedback, author)
  }

  /// Commenters are counted per feedback.
  package var part: BatchPart? {
    BatchPart(of: feedback.id.lowercased, named: feedback.title, by: author ?? comment.lowercased)
  }

  package var subject: Subject { feedback.subject }
  package var values: [String: PushPayload.Value] {
    FeedbackKitPush.newComment(comment, feedback: feedback.id, project: feedback.projectID).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    NotificationText(
      title: recipient.words("feedbackkit.new_comment.title"),
      body: recipient.words("feedbackkit.new_comment.body", ["feedback": .value(feedback.title)]))
  }
}

/// Somebody voted.
package struct NewVote: NoticeOfOneKind {
  package static let kind = Kind(
    .feedbackKit, "new_vote", importance: .normal, preference: .init("push_notify_votes", inGroups: true),
    family: .votes)

  let feedback: Feedback
  let count: Int
  let voter: String?

  /// - Parameters:
  ///   - count: how many votes it has with this one; of very many, how many it had a second ago.
  ///   - voter: the key that tells the voter from other people.
  package init(for feedback: Feedback, count: Int, by voter: String? = nil) {
    (self.feedback, self.count, self.voter) = (feedback, count, voter)
  }

  /// Voters are counted per feedback.
  package var part: BatchPart? {
    BatchPart(of: feedback.id.lowercased, named: feedback.title, by: voter ?? "\(count)")
  }

  package var subject: Subject { feedback.subject }
  package var values: [String: PushPayload.Value] {
    FeedbackKitPush.newVote(feedback: feedback.id, project: feedback.projectID, count: count).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    NotificationText(
      title: recipient.words("feedbackkit.new_vote.title"),
      body: recipient.words(
        "feedbackkit.new_vote.body", ["feedback": .value(feedback.title), "count": .count(count)]))
  }
}

/// The team changed a feedback's status.
package struct StatusChange: NoticeOfOneKind {
  package static let kind = Kind(
    .feedbackKit, "status_change", importance: .normal, preference: .init("push_notify_status_changes", inGroups: true),
    family: .statuses)

  let feedback: Feedback
  let old: FeedbackStatus
  let new: FeedbackStatus

  package init(of feedback: Feedback, from old: FeedbackStatus, to new: FeedbackStatus) {
    (self.feedback, self.old, self.new) = (feedback, old, new)
  }

  package var stateKeys: [String] { ["newStatus"] }
  /// If a feedback's status changes several times, the last change counts.
  package var part: BatchPart? {
    BatchPart(of: feedback.id.lowercased, named: feedback.projectName, by: feedback.id.lowercased)
  }
  package var subject: Subject { feedback.subject }
  package var values: [String: PushPayload.Value] {
    FeedbackKitPush.statusChange(
      feedback: feedback.id, project: feedback.projectID, old: old.rawValue, new: new.rawValue
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    let name = words.known("feedbackkit.status.\(new.rawValue)")
    let status = name.map { .words($0) } ?? Words.Fact.value(new.displayName)
    return NotificationText(
      title: words("feedbackkit.status_change.title"),
      body: recipient.reason == .voter
        ? words("feedbackkit.status_change.body_voter", ["status": status])
        : words("feedbackkit.status_change.body", ["feedback": .value(feedback.title), "status": status]))
  }
}
