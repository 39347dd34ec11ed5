import FoundationEssentials
import Notifications
import Testing

/// The gates that hold: batching, quiet hours and the hourly limit, in this order.
struct HoldingGateTests {
  private static let later = Sample.now.addingTimeInterval(300)
  private static let morning = Sample.now.addingTimeInterval(7 * 3_600)

  private func decision<N: Notice>(on notice: N, _ change: (inout Candidate) -> Void) -> Decision {
    var candidate = Sample.candidate(.submitter, for: notice.subject)
    change(&candidate)
    return Gate.decision(on: candidate, for: notice, at: Sample.now)
  }

  private var vote: NewVote { NewVote(for: Sample.feedback, count: 2, by: "v") }

  @Test func whatComesInAnOpenWindowWaitsForItsEnd() {
    let window = Candidate.Window(opener: Sample.user, end: Self.later)

    #expect(decision(on: vote) { $0.openWindow = window } == .hold(Hold(.batched, until: Self.later)))
    #expect(decision(on: Sample.statusChange) { $0.openWindow = window } == .hold(Hold(.batched, until: Self.later)))
    #expect(decision(on: Sample.reminder()) { $0.openWindow = window } == .notify)
  }

  @Test func quietHoursPutOff() {
    #expect(decision(on: vote) { $0.quietUntil = Self.morning } == .hold(Hold(.quietHours, until: Self.morning)))
  }

  @Test func aMutePutsOffAsQuietHoursDo() {
    let muted: (inout Candidate) -> Void = { ($0.mutedUntil, $0.quietUntil) = (Self.later, Self.morning) }

    #expect(decision(on: vote, muted) == .hold(Hold(.muted, until: Self.morning)))
    #expect(decision(on: Sample.reminder(closesIn: 3_600), muted) == .suppress(.quietHours))
  }

  @Test func aMuteOfMoreThanADayHolds() {
    let end = Sample.now.addingTimeInterval(40 * 86_400)
    let muted: (inout Candidate) -> Void = { ($0.mutedUntil, $0.quietUntil) = (end, end) }

    #expect(decision(on: vote, muted) == .hold(Hold(.muted, until: end)))
    #expect(decision(on: Sample.reminder(closesIn: 3_600), muted) == .suppress(.quietHours))
  }

  /// A reminder whose deadline comes before the morning stays in the inbox.
  @Test func whatWouldBePointlessInTheMorningIsNotHeld() {
    #expect(decision(on: Sample.reminder(closesIn: 3_600)) { $0.quietUntil = Self.morning } == .suppress(.quietHours))
  }

  @Test(arguments: [(0, false), (4, false), (5, true), (6, true)])
  func aFullHourPutsOff(pushes: Int, isHeld: Bool) {
    let decision = decision(on: vote) {
      $0.hourlyLimit = 5
      $0.recentPushes = (0..<pushes).map { Sample.now.addingTimeInterval(-Double($0 + 1) * 60) }
    }

    if case .hold(let hold) = decision { #expect(hold.reason == .rateLimited && isHeld) } else { #expect(!isHeld) }
  }

  @Test func whoeverIsWaitedForIsToldBeyondTheLimit() {
    let decision = decision(on: Sample.reminder()) {
      ($0.hourlyLimit, $0.recentPushes) = (1, [Sample.now])
    }

    #expect(decision == .notify)
  }

  @Test func afterSixHoursItStaysInTheInbox() {
    let decision = decision(on: vote) {
      ($0.hourlyLimit, $0.recentPushes) = (1, [Sample.now])
      $0.heldSince = Sample.now.addingTimeInterval(-5.5 * 3_600)
    }

    #expect(decision == .suppress(.rateLimited))
  }

  @Test func theFirstOfThemNamesTheReason() {
    let window = Candidate.Window(opener: Sample.user, end: Self.later)
    let all: (inout Candidate) -> Void = {
      ($0.openWindow, $0.quietUntil) = (window, Self.morning)
      ($0.hourlyLimit, $0.recentPushes) = (1, [Sample.now])
    }

    #expect(decision(on: vote, all) == .hold(Hold(.batched, until: Self.later)))
    #expect(decision(on: Sample.request, all) == .hold(Hold(.quietHours, until: Self.morning)))
    let night = decision(on: vote) { candidate in
      all(&candidate)
      candidate.openWindow = nil
    }
    #expect(night == .hold(Hold(.quietHours, until: Self.morning)))
  }
}
