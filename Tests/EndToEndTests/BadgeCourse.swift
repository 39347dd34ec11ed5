/// The course of events for Eva, who has one phone with LockItIn.
struct BadgeCourse: Sendable {
  let name: String
  let steps: [Step]

  init(_ name: String, _ steps: [Step]) { (self.name, self.steps) = (name, steps) }

  static let all = [
    BadgeCourse(
      "a badge that waits for room",
      (1...4).flatMap { [.propose("Q\($0)"), .vote("Q\($0)")] } + [.propose("P2"), .pass("61m"), .drop("P2")]),
    BadgeCourse("an answer of 503", [.propose("F1"), .fault(503, times: 2), .vote("F1"), .pass("2h")]),
    BadgeCourse(
      "an answer of 503 while it goes up again",
      [
        .propose("F2"), .vote("F2"), .fault(503, times: 1), .withdraw("F2"), .propose("F3"), .pass("1h"), .drop("F2"),
      ]),
    BadgeCourse(
      "a device on hold",
      [.propose("H1"), .fault(429, times: 3), .vote("H1"), .withdraw("H1"), .pass("2h"), .vote("H1")]),
    BadgeCourse(
      "a vote withdrawn, and its option deleted",
      [.propose("W1"), .vote("W1"), .withdraw("W1"), .vote("W1"), .replace("W1")]),
    BadgeCourse(
      "a proposal that closes and opens",
      [.propose("O1"), .close("O1"), .pass("2m"), .open("O1"), .close("O1"), .pass("2m")]),
    BadgeCourse("a group that is left and joined", [.propose("G1"), .leave, .join]),
    BadgeCourse("an invitation made again", [.invite, .uninvite, .invite]),
    BadgeCourse("a request asked again", [.ask, .answer("declined"), .answer("pending")]),
    BadgeCourse(
      "a provider that is away for hours", [.propose("N1"), .fault(503, times: 20), .vote("N1"), .pass("9h")]),
  ]

  enum Step: Sendable {
    case propose(String)
    case vote(String)
    case withdraw(String)
    /// The proposal's options are deleted.
    case replace(String)
    /// The proposal is deleted.
    case drop(String)
    case close(String)
    case open(String)
    case leave, join, invite, uninvite, ask
    case answer(String)
    /// The emulator's next answers to Eva's phone.
    case fault(Int, times: Int)
    /// Time goes by.
    case pass(String)

    var sql: String {
      let eva = BadgeTests.eva
      func proposal(_ title: String) -> String { "(SELECT id FROM event_proposals WHERE title = '\(title)')" }
      return switch self {
      case .propose(let title):
        """
        INSERT INTO event_proposals (group_id, created_by, title, deadline)
        SELECT id, created_by, '\(title)', runner.now() + interval '3 days' FROM groups WHERE name = 'College Friends';
        INSERT INTO proposal_options (proposal_id, starts_at, ends_at)
        VALUES (\(proposal(title)), runner.now() + interval '4 days', runner.now() + interval '5 days')
        """
      case .vote(let title):
        """
        INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote)
        SELECT proposal_id, id, '\(eva)', 'no' FROM proposal_options WHERE proposal_id = \(proposal(title))
        """
      case .withdraw(let title): "DELETE FROM proposal_votes WHERE proposal_id = \(proposal(title))"
      case .replace(let title): "DELETE FROM proposal_options WHERE proposal_id = \(proposal(title))"
      case .drop(let title): "DELETE FROM event_proposals WHERE title = '\(title)'"
      case .close(let title): "UPDATE event_proposals SET status = 'cancelled' WHERE title = '\(title)'"
      case .open(let title): "UPDATE event_proposals SET status = 'open' WHERE title = '\(title)'"
      case .leave: "DELETE FROM group_members WHERE user_id = '\(eva)'"
      case .join:
        "INSERT INTO group_members (group_id, user_id) SELECT id, '\(eva)' FROM groups WHERE name = 'College Friends'"
      case .invite:
        """
        INSERT INTO group_invites (group_id, inviter_id, invitee_id)
        SELECT id, created_by, '\(eva)' FROM groups WHERE name = 'Book Club'
        """
      case .uninvite: "DELETE FROM group_invites WHERE invitee_id = '\(eva)'"
      case .ask:
        "INSERT INTO friend_requests (requester_id, recipient_id) SELECT id, '\(eva)' FROM users WHERE name = 'Hugo'"
      case .answer(let status): "UPDATE friend_requests SET status = '\(status)' WHERE recipient_id = '\(eva)'"
      case .fault, .pass: "SELECT"
      }
    }
  }
}
