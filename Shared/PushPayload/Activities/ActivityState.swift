#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// How the subject of a Live Activity stands, as functions tell it.
///
/// Its JSON has ``statusName`` at the key `status`.
package protocol ActivityState: LiveActivityPart {
  /// The subject's status, in one word.
  var statusName: String { get }
  /// Whether the activity goes on.
  var isOpen: Bool { get }
  /// Until when the subject is open if nothing changes; from then on, the activity is out of date.
  var closesAt: Date { get }
  /// Says that the subject is gone.
  mutating func callOff()

  /// The state of a subject that is gone, if nothing was said of it before.
  static func gone(at now: Date) -> Self
  /// How many seconds an activity stays on the lock screen that ends with a status; it goes at once with any other.
  static var stays: [(status: String, seconds: Double)] { get }
}

extension ProposalActivityAttributes.ContentState: ActivityState {
  package var statusName: String { status.rawValue }
  package var isOpen: Bool { status == .open }
  package var closesAt: Date { deadline }
  package mutating func callOff() { status = .cancelled }

  package static func gone(at now: Date) -> Self { Self(status: .cancelled, deadline: now, votes: 0) }

  /// Longer if an event was decided.
  package static var stays: [(status: String, seconds: Double)] {
    let stays: [(status: ProposalActivityAttributes.Status, seconds: Double)] = [(.confirmed, 3_600), (.closed, 900)]
    return stays.map { ($0.status.rawValue, $0.seconds) }
  }
}

extension OrderActivityAttributes.ContentState: ActivityState {
  package var statusName: String { status }
  package var isOpen: Bool { !isDone }
  package mutating func callOff() { (status, isDone) = (OrderActivityAttributes.cancelled, true) }

  package static func gone(at now: Date) -> Self {
    Self(status: OrderActivityAttributes.cancelled, isDone: true, changedAt: now, closesAt: now)
  }

  /// Longest if somebody has to collect it.
  package static var stays: [(status: String, seconds: Double)] {
    [("ready", 3_600)] + OrderActivityAttributes.done.map { ($0, 900) }
  }
}
