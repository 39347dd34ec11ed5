public import FoundationEssentials
public import PushPayload

/// A feedback as FeedbackKit's notices tell of it.
public struct Feedback: Sendable, Equatable {
  /// Its id.
  public let id: UUID
  /// Its project's id.
  public let projectID: UUID
  /// Its title, of any length.
  public let title: String
  /// Its project's name.
  public let projectName: String?

  /// A feedback from its parts.
  public init(id: UUID, projectID: UUID, title: String, projectName: String? = nil) {
    (self.id, self.projectID, self.title, self.projectName) = (id, projectID, title, projectName)
  }

  fileprivate var subject: Subject { .feedback(id, project: projectID) }

  fileprivate func values(
    _ kind: Kind, link: DeepLink? = nil, _ more: [String: PushPayload.Value] = [:]
  ) -> [String: PushPayload.Value] {
    let values: [String: PushPayload.Value] = [
      "type": .string(kind.name), "feedbackId": .string(id.lowercased), "projectId": .string(projectID.lowercased),
      "actionUrl": .string((link ?? .feedback(id)).url),
    ]
    return values.merging(more) { _, new in new }
  }
}

/// A feedback arrived.
public struct NewFeedback: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .feedbackKit, "new_feedback", importance: .normal, preference: .newFeedback, family: .newFeedback)

  let feedback: Feedback

  /// The arrival of a feedback.
  public init(_ feedback: Feedback) { self.feedback = feedback }

  /// Feedback is counted for each project.
  public var part: BatchPart? {
    BatchPart(of: feedback.projectID.lowercased, named: feedback.projectName, by: feedback.id.lowercased)
  }

  /// The feedback.
  public var subject: Subject { feedback.subject }
  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] { feedback.values(Self.kind) }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    NotificationText(title: "New Feedback", body: feedback.title)
  }
}

/// Somebody commented.
public struct NewComment: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .feedbackKit, "new_comment", importance: .normal, preference: .newComments, family: .comments)

  let feedback: Feedback
  let comment: UUID
  let author: String?

  /// A comment on a feedback.
  /// - Parameter author: what the comment's author is told apart by.
  public init(_ comment: UUID, on feedback: Feedback, by author: String? = nil) {
    (self.comment, self.feedback, self.author) = (comment, feedback, author)
  }

  /// Commenters are counted for each feedback.
  public var part: BatchPart? {
    BatchPart(of: feedback.id.lowercased, named: feedback.title, by: author ?? comment.lowercased)
  }

  /// The feedback.
  public var subject: Subject { feedback.subject }
  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    feedback.values(Self.kind, link: .feedbackComments(feedback.id), ["commentId": .string(comment.lowercased)])
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    NotificationText(title: "New Comment", body: "Comment on: \(feedback.title)")
  }
}

/// Somebody voted.
public struct NewVote: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(.feedbackKit, "new_vote", importance: .normal, preference: .votes, family: .votes)

  let feedback: Feedback
  let count: Int
  let voter: String?

  /// A vote for a feedback.
  /// - Parameters:
  ///   - count: how many votes it has with this one.
  ///   - voter: what the voter is told apart by.
  public init(for feedback: Feedback, count: Int, by voter: String? = nil) {
    (self.feedback, self.count, self.voter) = (feedback, count, voter)
  }

  /// Voters are counted for each feedback.
  public var part: BatchPart? {
    BatchPart(of: feedback.id.lowercased, named: feedback.title, by: voter ?? "\(count)")
  }

  /// The feedback.
  public var subject: Subject { feedback.subject }
  /// The app's own keys of the payload; the count is a string, as the app's own server sends it.
  public var values: [String: PushPayload.Value] { feedback.values(Self.kind, ["voteCount": .string("\(count)")]) }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    NotificationText(title: "New Vote", body: "\(feedback.title) now has \(count) vote\(count == 1 ? "" : "s")")
  }
}

/// The team moved a feedback on.
public struct StatusChange: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .feedbackKit, "status_change", importance: .normal, preference: .statusChanges, family: .statuses)

  let feedback: Feedback
  let old: FeedbackStatus
  let new: FeedbackStatus

  /// A change of a feedback's status.
  public init(of feedback: Feedback, from old: FeedbackStatus, to new: FeedbackStatus) {
    (self.feedback, self.old, self.new) = (feedback, old, new)
  }

  /// The status.
  public var stateKey: String? { "newStatus" }
  /// The last of several changes of a feedback's status counts.
  public var part: BatchPart? {
    BatchPart(of: feedback.id.lowercased, named: feedback.projectName, by: feedback.id.lowercased)
  }
  /// The feedback.
  public var subject: Subject { feedback.subject }
  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    feedback.values(Self.kind, ["oldStatus": .string(old.rawValue), "newStatus": .string(new.rawValue)])
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    let body =
      switch recipient.reason {
      case .voter: "Feedback you voted on: \(new.displayName)"
      default: "\(feedback.title) is now \(new.displayName)"
      }
    return NotificationText(title: "Status Updated", body: body)
  }
}
