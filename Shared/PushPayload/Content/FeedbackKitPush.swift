#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What FeedbackKit's pushes are about.
public enum FeedbackKitPush: PushContent {
  /// `new_feedback`: a feedback arrived.
  case newFeedback(UUID, project: UUID?)
  /// `new_comment`: somebody commented on a feedback.
  case newComment(UUID?, feedback: UUID, project: UUID?)
  /// `new_vote`: somebody voted for a feedback, which has that many votes with it.
  case newVote(feedback: UUID, project: UUID?, count: Int?)
  /// `status_change`: a feedback moved on; statuses as the server writes them (`in_progress`).
  case statusChange(feedback: UUID, project: UUID?, old: String?, new: String?)
  /// A type that this version does not know, one without a feedback, or no type at all.
  case other(type: String?)

  /// Reads the app's own keys.
  public init(type: String?, values: [String: PushPayload.Value]) {
    let project = values.uuid("projectId")
    switch (type, values.uuid("feedbackId")) {
    case ("new_feedback", let id?): self = .newFeedback(id, project: project)
    case ("new_comment", let id?): self = .newComment(values.uuid("commentId"), feedback: id, project: project)
    case ("new_vote", let id?): self = .newVote(feedback: id, project: project, count: values.integer("voteCount"))
    case ("status_change", let id?):
      self = .statusChange(
        feedback: id, project: project, old: values.text("oldStatus"), new: values.text("newStatus"))
    default: self = .other(type: type)
    }
  }

  /// The app's own keys; the count of votes is a string, as the app's own server sends it.
  public var values: [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = [:]
    values.set("type", type)
    values.set("feedbackId", feedback)
    values.set("projectId", project)
    values.set("actionUrl", link?.url)
    switch self {
    case .newComment(let comment, _, _): values.set("commentId", comment)
    case .newVote(_, _, let count): values.set("voteCount", count.map(String.init))
    case .statusChange(_, _, let old, let new):
      values.set("oldStatus", old)
      values.set("newStatus", new)
    case .newFeedback, .other: break
    }
    return values
  }

  /// The feedback, at its comments for a comment.
  public var link: DeepLink? {
    if case .newComment = self { feedback.map(DeepLink.feedbackComments) } else { feedback.map(DeepLink.feedback) }
  }

  /// The feedback that it is about.
  public var feedback: UUID? {
    switch self {
    case .newFeedback(let id, _), .newComment(_, let id, _), .newVote(let id, _, _), .statusChange(let id, _, _, _): id
    case .other: nil
    }
  }

  /// The project of the feedback.
  public var project: UUID? {
    switch self {
    case .newFeedback(_, let id), .newComment(_, _, let id), .newVote(_, let id, _), .statusChange(_, let id, _, _): id
    case .other: nil
    }
  }

  private var type: String? {
    switch self {
    case .newFeedback: "new_feedback"
    case .newComment: "new_comment"
    case .newVote: "new_vote"
    case .statusChange: "status_change"
    case .other(let type): type
    }
  }
}
