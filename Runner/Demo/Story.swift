import Formats
import FoundationEssentials

/// The story: one feedback from its arrival to a new status, and a proposal whose votes are due.
struct Story: Sendable {
  /// The wish of the feedback.
  let wish: String
  /// The plan of the proposal.
  let plan: String
  /// The SQL expression for the present moment.
  let now: String
  private let project = UUID().lowercased
  private let feedback = UUID().lowercased
  private let proposal = UUID().lowercased
  private let option = UUID().lowercased

  /// Each story has a new feedback and a new proposal.
  ///
  /// - Parameter titles: those that others have already.
  init(now: String, besides titles: Set<String> = []) {
    self.now = now
    wish = Self.choose(Self.wishes, besides: titles)
    plan = Self.choose(Self.plans, besides: titles)
  }

  /// A title that nothing has yet: one of these, with a number where all are taken.
  private static func choose(_ choice: [String], besides taken: Set<String>) -> String {
    if let title = choice.filter({ !taken.contains($0) }).randomElement() { return title }
    let title = choice.randomElement() ?? ""
    return "\(title) \((2...).first { !taken.contains("\(title) \($0)") } ?? 2)"
  }

  /// The six events, one after the other.
  var steps: [Step] {
    [
      Step(
        title: "Grace sends a feedback to a new project",
        actions: [.sql(newFeedback)], function: "feedback-created",
        subject: feedback),
      Step(title: "Ben comments on it", actions: [.sql(newComment)], function: "comment-added", subject: feedback),
      Step(
        title: "Hugo and Dan vote for it", actions: [.sql(newVotes)], function: "vote-cast", subject: feedback,
        events: 2),
      Step(
        title: "It is taken up", actions: [.sql(newStatus)], function: "status-changed", subject: feedback),
      Step(
        title: "What Ada proposed an hour ago reaches College Friends, and Ben votes at once",
        actions: [.sql(newProposal)],
        function: "proposal-created", subject: proposal),
      Step(
        title: "The vote closes in less than two hours: Ada is reminded, but nobody who was asked just now",
        actions: [.call(function: "proposal-reminder", body: "{}")], function: "proposal-reminder", subject: proposal),
    ]
  }

  private var newFeedback: String {
    """
    INSERT INTO projects (id, name, api_key, owner_id)
    SELECT \(SQLText.literal(project)), 'Orbit Lab', \(SQLText.literal(project)), owner_id
    FROM projects WHERE name = 'Orbit';
    INSERT INTO project_members (project_id, user_id)
    SELECT \(SQLText.literal(project)), user_id
    FROM project_members WHERE project_id = (SELECT id FROM projects WHERE name = 'Orbit');
    INSERT INTO project_member_preferences (project_id, user_id, push_muted, push_notify_new_comments)
    SELECT \(SQLText.literal(project)), user_id, push_muted, push_notify_new_comments
    FROM project_member_preferences WHERE project_id = (SELECT id FROM projects WHERE name = 'Orbit');
    INSERT INTO feedbacks (id, title, category, user_id, user_email, project_id)
    VALUES (\(SQLText.literal(feedback)), \(SQLText.literal(wish)), 'feature_request', 'sdk-grace', 'grace@example.com',
      \(SQLText.literal(project)));
    """
  }

  private var newComment: String {
    """
    INSERT INTO comments (feedback_id, content, user_id, is_admin)
    SELECT \(SQLText.literal(feedback)), 'We would like this too.', id::text, true
    FROM users WHERE email = 'ben@example.com';
    """
  }

  private var newVotes: String {
    """
    INSERT INTO votes (feedback_id, user_id, user_email) VALUES
      (\(SQLText.literal(feedback)), 'sdk-hugo', 'hugo@example.com'),
      (\(SQLText.literal(feedback)), 'sdk-dan', 'dan@example.com');
    """
  }

  private var newStatus: String {
    "UPDATE feedbacks SET status = 'in_progress' WHERE id = \(SQLText.literal(feedback));"
  }

  private var newProposal: String {
    """
    INSERT INTO event_proposals (id, group_id, created_by, title, deadline, created_at)
    SELECT \(SQLText.literal(proposal)), id, created_by, \(SQLText.literal(plan)), \(now) + interval '115 minutes',
      \(now) - interval '1 hour'
    FROM groups WHERE name = 'College Friends';
    INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES
      (\(SQLText.literal(option)), \(SQLText.literal(proposal)), \(now) + interval '7 days', \(now) + interval '171 hours');
    INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote)
    SELECT \(SQLText.literal(proposal)), \(SQLText.literal(option)), id, 'yes' FROM users WHERE email = 'ben@example.com';
    """
  }

  private static let wishes = [
    "Keyboard shortcuts", "Export to CSV", "A widget for the home screen", "Undo after archiving",
    "Search in comments", "Offline mode", "Larger text on the board", "Drag and drop on iPad",
  ]

  private static let plans = ["Game Night", "Brunch", "Lake Day", "Movie Night", "Board Games at Ada's"]
}
