import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres

@testable import CommentAdded
@testable import ConflictDetected
@testable import EventConfirmed
@testable import FeedbackCreated
@testable import FriendRequested
@testable import GroupInvited
@testable import NotificationCreated
@testable import ProposalCreated
@testable import ProposalVoteCast
@testable import VoteCast

/// A way by which a row comes to a function.
enum Entrance: CaseIterable {
  case trigger, http, pipe
}

/// The insertions that functions tell people about, by their tables, each with a row of the demo.
enum RowInsertion: String, CaseIterable {
  case feedbacks, comments, votes, proposals = "event_proposals", proposalVotes = "proposal_votes", events
  case conflicts = "event_conflicts", friendRequests = "friend_requests", groupInvites = "group_invites", notifications

  private var id: String {
    switch self {
    case .feedbacks: RowEvent.feedback
    case .comments: RowEvent.comment
    case .votes: RowEvent.vote
    case .proposals: Demo.proposal
    case .proposalVotes: "f6000000-0000-4000-8000-000000000009"
    case .events: "fa000000-0000-4000-8000-000000000009"
    case .conflicts: "f9000000-0000-4000-8000-000000000001"
    case .friendRequests: "f7000000-0000-4000-8000-000000000001"
    case .groupInvites: "f8000000-0000-4000-8000-000000000001"
    case .notifications: "e1000000-0000-4000-8000-000000000001"
    }
  }

  /// Makes the rows that the demo lacks.
  private var preparation: String {
    switch self {
    case .proposalVotes:
      """
      UPDATE event_proposals SET notify_vote_cast = true;
      INSERT INTO proposal_votes (id, proposal_id, option_id, user_id, vote)
      VALUES ('\(id)', '\(Demo.proposal)', '\(Demo.saturday)', '\(Person.eva.id)', 'yes')
      """
    case .events:
      """
      UPDATE event_proposals SET status = 'confirmed';
      INSERT INTO events (id, group_id, proposal_id, title, starts_at, ends_at) VALUES
        ('\(id)', '\(Demo.group)', '\(Demo.proposal)', 'Game Night', '2030-01-12 19:00+00', '2030-01-12 23:00+00')
      """
    case .notifications:
      """
      INSERT INTO notifications (id, user_id, app, type, title, body, entity_id, expires_at)
      VALUES ('\(id)', '\(Person.ada.id)', 'repairminder', 'payment_received', 'Paid', '£5', gen_random_uuid(), '2031-01-01');
      INSERT INTO device_tokens (user_id, token, platform, app, environment)
      VALUES ('\(Person.ada.id)', repeat('e5', 32), 'iOS', 'repairminder', 'sandbox')
      """
    default: "SELECT"
    }
  }

  func demo() async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(preparation)
    return demo
  }

  /// The row as it is, as an event of its insertion.
  func document(by entrance: Entrance, _ demo: Demo, id event: String = "7.1") async throws -> String {
    let row = try await demo.connection.query(
      "SELECT to_jsonb(t)::text AS row FROM \(identifier: rawValue) t WHERE id = \(id)::uuid"
    ).only()
    return document(by: entrance, record: try row.decode("row"), id: event)
  }

  func document(by entrance: Entrance, record: String, id event: String = "7.1") -> String {
    let source = entrance == .trigger ? "/postgres/public/\(rawValue)" : "/http/function"
    guard entrance == .pipe else {
      return RowEvent.event("INSERT", rawValue, record: record, id: event, source: source)
    }
    return #"{"type":"INSERT","table":"\#(rawValue)","schema":"public","record":\#(record),"old_record":null}"#
  }

  /// Hands an event to the function that tells of it, a day before the proposal's deadline or later.
  func tell(
    _ document: String, _ demo: Demo, dryRun: Bool = false, minutes: Double = 0, chunk: Int = 5_000
  ) async throws -> Answer {
    let now = Demo.dayBefore.addingTimeInterval(minutes * 60)
    let store = demo.store(chunk: chunk)
    func run<F: Function>(_ function: F) async throws -> Answer where F.Output == RawJSON {
      try await demo.run(function, on: document, dryRun: dryRun, at: now)
    }
    return switch self {
    case .feedbacks: try await run(FeedbackCreated(store: store))
    case .comments: try await run(CommentAdded(store: store))
    case .votes: try await run(VoteCast(store: store))
    case .proposals: try await run(ProposalCreated(store: store))
    case .proposalVotes: try await run(ProposalVoteCast(store: store))
    case .events: try await run(EventConfirmed(store: store))
    case .conflicts: try await run(ConflictDetected(store: store))
    case .friendRequests: try await run(FriendRequested(store: store))
    case .groupInvites: try await run(GroupInvited(store: store))
    case .notifications: try await run(NotificationCreated(store: store))
    }
  }
}

extension Demo {
  /// How much was told: rows of notifications, deliveries and decisions.
  func told() async throws -> [Int] { Array(try await effects().prefix(3)) }
}
