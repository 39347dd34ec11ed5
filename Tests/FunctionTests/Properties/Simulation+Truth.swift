import FoundationEssentials
import FunctionKit
import Notifications
import World

extension Simulation {
  /// A push that was decided less than a minute ago goes out as it was decided.
  private static let timeLimit: TimeInterval = 60

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

  private func expect(_ truth: String, _ told: String, since change: Date, _ kind: String) {
    guard truth != told, clock.timeIntervalSince(change) > Self.timeLimit else { return }
    violation("true when said", "\(kind) says \(told) at \(clock) where it is \(truth) since \(change)")
  }
}
