import FoundationEssentials
import Notifications

/// Values that the tests of decisions start from.
enum Sample {
  static let now = Date(timeIntervalSince1970: 1_800_000_000)
  static let user = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  static let feedback = Feedback(
    id: UUID(uuid: (0xC, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
    projectID: UUID(uuid: (0xB, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), title: "Dark mode")
  static let statusChange = StatusChange(
    of: feedback, from: FeedbackStatus(rawValue: "pending"), to: FeedbackStatus(rawValue: "in_progress"))

  /// Of a kind that neither merges nor has a key.
  static let request = FriendRequest(user, from: user, named: "Hugo")

  static func proposal(
    _ visibility: EventVisibility = .sharedWithName, closesIn seconds: TimeInterval = 7_200
  ) -> Proposal {
    Proposal(
      id: user, title: "Game Night", proposer: "Sarah", groupID: user, group: "College Friends",
      deadline: now.addingTimeInterval(seconds), visibility: visibility)
  }

  static func reminder(
    _ visibility: EventVisibility = .sharedWithName, closesIn seconds: TimeInterval = 7_200
  ) -> DeadlineReminder {
    DeadlineReminder(of: proposal(visibility, closesIn: seconds), at: now)
  }

  /// A candidate whom no gate stops.
  static func candidate(_ reason: RecipientReason = .member, for subject: Subject = feedbackSubject) -> Candidate {
    var candidate = Candidate(user: user, subjectID: subject.id, reason: reason)
    candidate.devices = [user]
    return candidate
  }

  static let feedbackSubject = Subject.feedback(feedback.id, project: feedback.projectID)
}
