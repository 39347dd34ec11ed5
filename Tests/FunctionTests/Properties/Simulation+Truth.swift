import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import World

extension Simulation {
  /// A push that was decided less than a minute ago goes out as it was decided.
  static let timeLimit: TimeInterval = 60

  /// Compares the words of a push with the state of things when it goes out.
  func compare(_ kind: String, _ payload: String, feedback: String?, _ proposal: String?) throws {
    let values = try RawJSON(validating: Array(payload.utf8)[...])
    let told = { (key: String) in values[key]?.stringValue ?? values[key]?.intValue.map(String.init) ?? "nothing" }
    switch kind {
    case "status_change":
      guard let about = world.feedbacks.first(where: { $0.id == feedback }) else { return }
      expect(about.status, told("newStatus"), since: about.statusSince, kind)
    case "vote_count_update":
      guard let about = world.proposals.first(where: { $0.id == proposal }) else { return }
      let leading = world.leaders(of: about)
      guard !leading.contains(told("time_option_id")) else { return }
      expect(leading.joined(separator: " or "), told("time_option_id"), since: about.votedAt, kind)
    case "proposal_reminder":
      guard let about = world.proposals.first(where: { $0.id == proposal }) else { return }
      let left = Int((about.deadline.timeIntervalSince(clock) / 60).rounded())
      if abs(left - (Int(told("time_remaining_minutes")) ?? -9)) > 1 {
        violation("true when said", "\(kind) says \(told("time_remaining_minutes")) minutes where \(left) are left")
      }
    default: return
    }
  }

  /// Compares a number of voters with the votes of the moment, and with what the device was told last.
  func compareVotes(_ push: QueuedPush, to person: String, on proposal: String) async throws {
    let told = try RawJSON(validating: Array(push.payload.utf8)[...])
    guard let about = world.proposals.first(where: { $0.id == proposal }), told["proposal_id"]?.stringValue == proposal
    else { return violation("true when said", "vote_count of no proposal: \(push.payload)") }
    let voters: [String] = try await database.query(
      "SELECT user_id::text AS id FROM proposal_votes WHERE proposal_id = \(proposal)::uuid"
    ).decode("id")
    let truth = Set(voters).intersection(world.groups[about.group].members).count
    if told["vote_count"]?.intValue != truth {
      violation("true when said", "vote_count says \(push.payload) at \(clock) where \(truth) have voted")
    }
    let last = sent.last { earlier in
      earlier.kind == "vote_count" && earlier.device == push.device.id && earlier.user == person
        && earlier.verdict == .accepted && earlier.payload.contains(proposal)
    }
    if last?.payload == push.payload { violation("told twice", "the number of voters again: \(push.payload)") }
  }

  private func expect(_ truth: String, _ told: String, since change: Date, _ kind: String) {
    guard truth != told, clock.timeIntervalSince(change) > Self.timeLimit else { return }
    violation("true when said", "\(kind) says \(told) at \(clock) where it is \(truth) since \(change)")
  }
}
