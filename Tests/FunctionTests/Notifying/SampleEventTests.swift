import Postgres
import StoreLive
import TestSupport
import Testing

@testable import CommentAdded
@testable import ConflictDetected
@testable import EventReminder
@testable import FeedbackCreated
@testable import FriendRequested
@testable import GroupInvited
@testable import ProposalCreated
@testable import ProposalReminder
@testable import ProposalUpdated
@testable import ProposalVoteCast
@testable import StatusChanged
@testable import VoteCast

/// The sample events of the README, on the people of the demo.
@Suite(.heavy)
struct SampleEventTests {
  private func answer(to sample: String, _ demo: Demo, dryRun: Bool = true) async throws -> Answer {
    let text = try Repository.text("Tests/Events/\(sample).json")
    let store = demo.store()
    return switch sample.prefix(while: { $0 != "." }) {
    case "feedback-created": try await demo.run(FeedbackCreated(store: store), on: text, dryRun: dryRun)
    case "comment-added": try await demo.run(CommentAdded(store: store), on: text, dryRun: dryRun)
    case "vote-cast": try await demo.run(VoteCast(store: store), on: text, dryRun: dryRun)
    case "status-changed": try await demo.run(StatusChanged(store: store), on: text, dryRun: dryRun)
    case "friend-requested": try await demo.run(FriendRequested(store: store), on: text, dryRun: dryRun)
    case "group-invited": try await demo.run(GroupInvited(store: store), on: text, dryRun: dryRun)
    case "conflict-detected": try await demo.run(ConflictDetected(store: store), on: text, dryRun: dryRun)
    case "event-reminder":
      try await demo.run(
        EventReminder(store: store), on: text, dryRun: dryRun, at: Demo.beforePicnic)
    case "proposal-created": try await demo.run(ProposalCreated(store: store), on: text, dryRun: dryRun)
    case "proposal-vote-cast": try await demo.run(ProposalVoteCast(store: store), on: text, dryRun: dryRun)
    case "proposal-updated": try await demo.run(ProposalUpdated(store: store), on: text, dryRun: dryRun)
    default:
      try await demo.run(
        ProposalReminder(store: store), on: text, dryRun: dryRun, at: Demo.beforeDeadline)
    }
  }

  @Test(
    arguments: [
      ("feedback-created", 3, "member"), ("comment-added", 3, "disabled"), ("comment-added.supabase", 3, "actor"),
      ("vote-cast", 1, "submitter"), ("vote-cast.supabase", 1, "submitter"), ("status-changed", 2, "voter"),
      ("proposal-reminder", 2, "no_device"), ("proposal-reminder.http", 2, "no_device"),
      ("friend-requested", 1, "addressee"), ("group-invited", 1, "addressee"), ("conflict-detected", 2, "organizer"),
      ("event-reminder", 3, "attendee"),
      ("proposal-created", 1, "already_handled"), ("proposal-vote-cast", 0, "type_disabled"),
      ("proposal-updated", 1, "voter"),
    ] as [(String, Int, String?)])
  func tellsThePeopleOfTheDemo(sample: String, notified: Int, reason: String?) async throws {
    let answer = try await answer(to: sample, try await Demo())

    #expect(answer.result.notified == notified)
    #expect(reason.map { answer.result.counts[$0] != nil } ?? answer.result.counts.isEmpty)
  }

  /// In an app's own table it is often so, and stays so.
  @Test func everyEntryHasATitle() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      "UPDATE notifications SET title = coalesce(title, ''); ALTER TABLE notifications ALTER COLUMN title SET NOT NULL")

    for sample in Self.samples { _ = try await answer(to: sample, demo, dryRun: false) }

    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE title <> ''") > 0)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE title = '' AND counts_for_badge") == 0)
  }

  private static let samples = [
    "feedback-created", "comment-added", "vote-cast", "status-changed", "proposal-reminder", "friend-requested",
    "group-invited", "conflict-detected", "event-reminder", "proposal-created", "proposal-vote-cast",
    "proposal-updated",
  ]

  /// `"mayLack"` of `functions.json` says that nothing uses these columns.
  @Test func columnsThatNothingUsesMayBeLacking() async throws {
    let (whole, lacking) = (try await Demo(), try await Demo())
    for (table, columns) in LackingColumnsTests.mayLack {
      for (column, cost) in columns where cost == nil {
        try await lacking.connection.script("ALTER TABLE \(table) DROP COLUMN \(column)")
      }
    }

    for sample in Self.samples {
      let (told, expected) = (try await answer(to: sample, lacking), try await answer(to: sample, whole))
      #expect(told.result.notified == expected.result.notified, "\(sample)")
      #expect(told.result.counts == expected.result.counts, "\(sample)")
    }
  }
}
