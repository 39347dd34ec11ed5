import Notifications

@testable import CommentAdded
@testable import FeedbackCreated
@testable import NotificationCreated
@testable import StatusChanged
@testable import VoteCast

extension Told {
  /// The notifications of FeedbackKit about a feedback in Orbit.
  static let feedbackKit: [String: Told] = [
    "new_feedback": Told(
      facts: project(of: "p"),
      act: "INSERT INTO feedbacks (id, title, user_id, project_id) VALUES ('\(act)', 'Dark mode', 'sdk', '\(orbit)')",
      event: event("INSERT", "feedbacks", #"{"id":"\#(act)"}"#),
      run: { _ = try await $1.run(FeedbackCreated(store: $1.store()), on: $0, at: $2) },
      end: "DELETE FROM feedbacks WHERE project_id = '\(orbit)'",
      change: """
        UPDATE feedbacks SET title = 'Quiz' WHERE project_id = '\(orbit)';
        UPDATE projects SET name = 'Quiz' WHERE id = '\(orbit)'
        """,
      before: ["Dark mode", "Orbit"]),
    "new_comment": Told(
      facts: "\(project(of: "p")); \(feedback(of: "sdk"))",
      act:
        "INSERT INTO comments (id, content, user_id, feedback_id) VALUES ('\(act)', 'Yes', 'sdk-{n}', '\(darkMode)')",
      event: event("INSERT", "comments", #"{"id":"\#(act)","feedback_id":"\#(darkMode)"}"#),
      run: { _ = try await $1.run(CommentAdded(store: $1.store()), on: $0, at: $2) },
      end: "DELETE FROM comments WHERE feedback_id = '\(darkMode)'", change: retitled, before: ["Dark mode"]),
    "new_vote": Told(
      facts: "\(project(of: "q")); \(feedback(of: "{p}"))",
      act: "INSERT INTO votes (id, user_id, feedback_id) VALUES ('\(act)', 'sdk-{n}', '\(darkMode)')",
      event: event("INSERT", "votes", #"{"id":"\#(act)","feedback_id":"\#(darkMode)","user_id":"sdk-{n}"}"#),
      run: { _ = try await $1.run(VoteCast(store: $1.store()), on: $0, at: $2) },
      end: "DELETE FROM votes WHERE feedback_id = '\(darkMode)'", change: retitled, before: ["Dark mode"]),
    "status_change": Told(
      facts: "\(project(of: "q")); \(feedback(of: "{p}"))",
      act: "UPDATE feedbacks SET status = '{status}' WHERE id = '\(darkMode)'",
      event: event(
        "UPDATE", "feedbacks", #"{"id":"\#(darkMode)","status":"{status}"}"#,
        from: #"{"id":"\#(darkMode)","status":"{earlier}"}"#),
      run: { _ = try await $1.run(StatusChanged(store: $1.store()), on: $0, at: $2) },
      end: "DELETE FROM feedbacks WHERE id = '\(darkMode)'",
      change: "UPDATE feedbacks SET status = 'rejected' WHERE id = '\(darkMode)'",
      before: ["In Progress", "Completed"],
      after: "Rejected", saysItsEvent: true),
  ]

  /// A row that an app has put into the person's inbox, in its own words.
  static func row(of kind: Kind) -> Told {
    Told(
      act: """
        INSERT INTO notifications (id, user_id, app, type, title, body, entity_id, created_at, expires_at, data) VALUES
          ('\(act)', '{p}', '\(kind.app.rawValue)', '\(kind.name)', 'Told', 'So', '\(act)',
           '2030-01-04 20:00+00', '2031-01-01',
           '{"actor_username": "mia {n}", "visit_id": "v", "cafe_name": "Kaffee Haus", "friend_user_id": "f",
             "conversationId": "c", "messageId": "m {n}"}')
        """,
      event: event(
        "INSERT", "notifications",
        """
        {"id":"\(act)","user_id":"{p}","app":"\(kind.app.rawValue)","type":"\(kind.name)","title":"Told","body":"So",
         "entity_id":"\(act)","data":{"actor_username":"mia {n}","visit_id":"v","cafe_name":"Kaffee Haus",
         "friend_user_id":"f","conversationId":"c","messageId":"m {n}"}}
        """),
      run: { _ = try await $1.run(NotificationCreated(store: $1.store()), on: $0, at: $2) },
      end: "DELETE FROM notifications WHERE user_id = '{p}' AND title = 'Told'", before: ["Told", "mia"])
  }

  /// The row of an act.
  static let act = id("e{n}")

  private static let (orbit, darkMode) = (id("b0"), id("c0"))
  private static let retitled = "UPDATE feedbacks SET title = 'Quiz' WHERE id = '\(darkMode)'"

  private static func project(of owner: String) -> String {
    "INSERT INTO projects (id, name, api_key, owner_id) VALUES ('\(orbit)', 'Orbit', 'key {k}', '{\(owner)}')"
  }

  private static func feedback(of submitter: String) -> String {
    """
    INSERT INTO feedbacks (id, title, status, user_id, project_id) VALUES
      ('\(darkMode)', 'Dark mode', 'approved', '\(submitter)', '\(orbit)')
    """
  }
}
