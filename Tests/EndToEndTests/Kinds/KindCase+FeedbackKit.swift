extension KindCase {
  /// Orbit has Ada and Ben; Grace has sent it a feedback.
  static let feedbackKit = [
    feedbackKit(
      "new_feedback", "\(feedback);", before: "", to: [1: Push(badge: 1), 2: Push(badge: 1)]),
    feedbackKit(
      "new_comment",
      """
      INSERT INTO comments (id, content, user_id, is_admin, feedback_id)
      VALUES ('c1000000-0000-4000-8000-000000000001', 'We are on it.', 'a0000000-0000-4000-8000-000000000002', true,
        'c0000000-0000-4000-8000-000000000001')
      """,
      to: [1: Push(badge: 1), 7: Push(badge: 1)]),
    feedbackKit("new_vote", vote, to: [7: Push(badge: 1)]),
    feedbackKit(
      "status_change",
      "UPDATE feedbacks SET status = 'completed' WHERE id = 'c0000000-0000-4000-8000-000000000001'",
      before: "\(feedback); \(vote);", to: [7: Push(badge: 1), 8: Push(variant: "voter", badge: 1)]),
  ]

  private static func feedbackKit(
    _ kind: String, _ act: String, before: String = "\(feedback);", to pushes: [Int: Push]
  ) -> KindCase {
    KindCase(
      app: "feedbackkit", kind: kind, people: [1: "Ada", 2: "Ben", 7: "Grace", 8: "Hugo"],
      before: """
        INSERT INTO projects (id, name, api_key, owner_id) VALUES
          ('b0000000-0000-4000-8000-000000000001', 'Orbit', 'key b0000000-0000-4000-8000-000000000001',
           'a0000000-0000-4000-8000-000000000001');
        INSERT INTO project_members (project_id, user_id, role) VALUES
          ('b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'member');
        \(before)
        """,
      act: act, pushes: pushes)
  }

  private static let feedback = """
    INSERT INTO feedbacks (id, title, status, user_id, user_email, project_id) VALUES
      ('c0000000-0000-4000-8000-000000000001', 'Dark mode', 'approved', 'sdk-grace',
       'A0000000-0000-4000-8000-000000000007@Example.com', 'b0000000-0000-4000-8000-000000000001')
    """

  private static let vote = """
    INSERT INTO votes (user_id, user_email, feedback_id) VALUES
      ('sdk-hugo', 'a0000000-0000-4000-8000-000000000008@example.com', 'c0000000-0000-4000-8000-000000000001')
    """
}
