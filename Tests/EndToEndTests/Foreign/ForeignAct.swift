/// Something that happens in an app, and what the phones of its people say then.
struct ForeignAct: Sendable {
  /// The functions whose story it is: each of them runs then.
  let functions: [String]
  /// The rows that the app writes, as its own role and in its own way.
  var sql = ""
  /// A function whose schedule comes due then.
  var due: String?
  /// Ada has quiet hours meanwhile; what hers say then comes when they end.
  var isQuiet = false
  /// The beginnings of the words that each person is told, which all of their phones get, and each once.
  var told: [String: String] = [:]
  /// The number that each of a person's phones shows at the end.
  var badges: [String: Int] = [:]

  static func all(on database: ForeignDatabase) -> [ForeignAct] {
    switch database.app {
    case "mugshot": mugshot
    case "repairminder": repairMinder
    case "lockitin": lockItIn
    default: feedbackKit(knowsAddresses: database != .feedbackKit)
    }
  }

  /// The last digits of people's ids.
  static let people = ["1": "Ada", "2": "Ben", "3": "Cleo", "7": "Grace"]

  fileprivate static let (ada, ben, cleo) = (person(1), person(2), person(3))

  private static func person(_ number: Int) -> String { "'a0000000-0000-4000-8000-00000000000\(number)'" }
}

extension ForeignAct {
  /// Fluent sets ids and times itself.
  ///
  /// - Parameter knowsAddresses: whether votes have them, as they do from the plan on.
  private static func feedbackKit(knowsAddresses: Bool) -> [ForeignAct] {
    let feedback = "'c0000000-0000-4000-8000-000000000009'"
    func comment(_ feedback: String) -> String {
      """
      INSERT INTO comments (id, content, user_id, is_admin, feedback_id, created_at)
      VALUES (gen_random_uuid(), 'We are on it.', \(ben), true, \(feedback), now())
      """
    }
    let (column, address) = knowsAddresses ? (", user_email", ", 'ben@example.com'") : ("", "")
    let voter = knowsAddresses ? ["Ben": "Status Updated: Feedback you voted on: Completed"] : [:]
    return [
      ForeignAct(
        functions: ["feedback-created", "push-delivery"],
        sql: """
          INSERT INTO feedbacks (id, title, description, status, category, user_id, user_email, vote_count, project_id,
            created_at, updated_at)
          VALUES (\(feedback), 'Night mode', '', 'pending', 'bug_report', 'sdk-grace', 'grace@example.com', 0,
            'b0000000-0000-4000-8000-000000000001', now(), now())
          """,
        told: ["Ada": "New Feedback: Night mode", "Ben": "New Feedback: Night mode"], badges: ["Ada": 1, "Ben": 1]),
      ForeignAct(
        functions: ["comment-added"], sql: comment(feedback),
        told: ["Ada": "New Comment: Comment on: Night mode", "Grace": "New Comment: Comment on: Night mode"],
        badges: ["Ada": 2, "Grace": 1]),
      ForeignAct(
        functions: ["vote-cast"],
        sql: """
          INSERT INTO votes (id, user_id, feedback_id, created_at\(column))
          VALUES (gen_random_uuid(), 'sdk-ben', \(feedback), now()\(address))
          """,
        told: ["Grace": "New Vote: Night mode now has 1 vote"], badges: ["Grace": 2]),
      ForeignAct(
        functions: ["status-changed"],
        sql: "UPDATE feedbacks SET status = 'completed', updated_at = now() WHERE id = \(feedback)",
        told: voter.merging(["Grace": "Status Updated: Night mode is now Completed"]) { $1 },
        badges: ["Ben": knowsAddresses ? 2 : 1, "Grace": 3]),
      ForeignAct(
        functions: ["release-held"], sql: comment("'c0000000-0000-4000-8000-000000000001'"), isQuiet: true,
        told: ["Ada": "New Comment: Comment on: Dark mode", "Grace": "New Comment: Comment on: Dark mode"],
        badges: ["Ada": 3, "Grace": 4]),
    ]
  }

  /// Of Ada's earlier entries one is unread.
  ///
  /// Cleo signs up, which is not the app's but Supabase's to write.
  private static let mugshot = [
    ForeignAct(
      functions: ["notification-created", "push-delivery"],
      sql: mugshot("like", "New like", "ben liked your visit", to: ada),
      told: ["Ada": "New like: ben liked your visit"], badges: ["Ada": 2]),
    ForeignAct(
      functions: ["notification-created"],
      sql: """
        RESET ROLE;
        INSERT INTO auth.users (id, email, email_confirmed_at) VALUES (\(cleo), 'cleo@example.com', now());
        SET ROLE service_role;
        INSERT INTO user_devices (user_id, push_token) VALUES (\(cleo), repeat('b5', 32));
        \(mugshot("friend_join", "ben is here", "Say hello", to: cleo))
        """,
      told: ["Cleo": "ben is here: Say hello"], badges: ["Cleo": 1]),
    ForeignAct(
      functions: ["action-completed"],
      sql: """
        UPDATE notifications SET read_at = now()
        WHERE user_id = \(ada) AND read_at IS NULL AND created_at > now() - interval '1 hour'
        """,
      badges: ["Ada": 1]),
    // Its own requests and comments: its own entries tell people of them.
    ForeignAct(
      functions: [],
      sql: """
        UPDATE friend_requests SET status = 'rejected';
        INSERT INTO friend_requests (from_user_id, to_user_id) VALUES (\(ada), \(ben));
        DELETE FROM friend_requests WHERE from_user_id = \(ada);
        INSERT INTO comments (visit_id, author, text) VALUES (gen_random_uuid(), \(ada), 'Thanks');
        DELETE FROM comments WHERE author = \(ada);
        """),
    ForeignAct(
      functions: ["release-held"], sql: mugshot("friend_request", "Friend request", "ben wants to be friends", to: ada),
      isQuiet: true, told: ["Ada": "Friend request: ben wants to be friends"], badges: ["Ada": 2]),
  ]

  private static func mugshot(_ type: String, _ title: String, _ body: String, to person: String) -> String {
    """
    INSERT INTO notifications (user_id, type, title, body, actor_username, visit_id, cafe_name)
    VALUES (\(person), '\(type)', '\(title)', '\(body)', 'ben', gen_random_uuid(), 'Kaffee Haus')
    """
  }

  /// Of Ada's earlier entries one is unread.
  private static let repairMinder = [
    ForeignAct(
      functions: ["notification-created", "push-delivery"],
      sql: repairMinder("enquiry_received", "New Enquiry", "John Smith has a question"),
      told: ["Ada": "New Enquiry: John Smith has a question"], badges: ["Ada": 2]),
    ForeignAct(
      functions: ["action-completed"],
      sql: "UPDATE notifications SET is_read = true WHERE user_id = \(ada) AND type = 'enquiry_received'",
      badges: ["Ada": 1]),
    ForeignAct(
      functions: ["release-held"], sql: repairMinder("quote_approved", "Quote Approved!", "John Smith approved it"),
      isQuiet: true, told: ["Ada": "Quote Approved!: John Smith approved it"], badges: ["Ada": 2]),
  ]

  private static func repairMinder(_ type: String, _ title: String, _ body: String) -> String {
    """
    INSERT INTO notifications (user_id, type, entity_id, title, body, is_urgent)
    VALUES (\(ada), '\(type)', '1', '\(title)', '\(body)', false)
    """
  }
}
