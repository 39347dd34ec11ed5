#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The content of FeedbackKit's pushes.
public enum FeedbackKitPush: PushContent {
  /// `new_feedback`: a feedback arrived.
  case newFeedback(UUID, project: UUID?)
  /// `new_comment`: somebody commented on a feedback.
  case newComment(UUID?, feedback: UUID, project: UUID?)
  /// `new_vote`: somebody voted for a feedback; `count` includes this vote.
  case newVote(feedback: UUID, project: UUID?, count: Int?)
  /// `status_change`: a feedback's status changed; statuses are in the server's form (`in_progress`).
  case statusChange(feedback: UUID, project: UUID?, old: String?, new: String?)
  /// A type that this version does not know, one without a feedback, or no type at all.
  case other(type: String?)

  /// Reads the app's own keys.
  public init(type: String?, values: [String: PushPayload.Value]) {
    self = Self.forms.content(type, values) ?? .other(type: type)
  }

  /// The app's own keys.
  public var values: [String: PushPayload.Value] {
    var (values, link) = Self.forms.written(self) ?? ([:], nil)
    if case .other(let type) = self { values.set("type", type) }
    values.set("actionUrl", link?.url)
    return values
  }

  /// The feedback; for a comment, its comments.
  public var link: DeepLink? { Self.forms.written(self)?.link }

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

  private static let forms: [PushForm<FeedbackKitPush>] = [
    PushForm("new_feedback", .feedback, "feedbackId", "projectId", make: Self.newFeedback) {
      if case .newFeedback(let id, let project) = $0 { (id, project) } else { nil }
    },
    PushForm(
      "new_comment", .at("feedbackId", DeepLink.feedbackComments), "commentId", "feedbackId", "projectId",
      make: Self.newComment
    ) { if case .newComment(let comment, let id, let project) = $0 { (comment, id, project) } else { nil } },
    // The count is a string, as the app's own server sends it.
    PushForm(
      "new_vote", .feedback, "feedbackId", "projectId", "voteCount",
      make: { .newVote(feedback: $0, project: $1, count: ($2 as String?).flatMap { Int($0) }) }
    ) { if case .newVote(let id, let project, let count) = $0 { (id, project, count.map(String.init)) } else { nil } },
    PushForm(
      "status_change", .feedback, "feedbackId", "projectId", "oldStatus", "newStatus", make: Self.statusChange
    ) { if case .statusChange(let id, let project, let old, let new) = $0 { (id, project, old, new) } else { nil } },
  ]
}

extension PushForm<FeedbackKitPush>.TapTarget {
  fileprivate static let feedback = Self.at("feedbackId", DeepLink.feedback)
}
