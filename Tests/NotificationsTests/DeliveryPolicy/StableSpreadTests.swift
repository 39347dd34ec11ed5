import FoundationEssentials
import Notifications
import Testing

struct VariantAssignmentTests {
  @Test(arguments: [
    ("copy", 7, 4), ("vote_reminder_copy", 3, 0), ("send_time", 5, 1), ("", 1_000, 530),
  ])
  func aPersonsVariantIsTheSameInEveryProcess(experiment: String, count: Int, variant: Int) {
    #expect(VariantAssignment.variant(of: count, experiment: experiment, user: Sample.user) == variant)
  }

  @Test(arguments: 2...5)
  func peopleAreSpreadEvenly(count: Int) {
    var sizes = Array(repeating: 0, count: count)
    for user in people { sizes[VariantAssignment.variant(of: count, experiment: "copy", user: user)] += 1 }

    for size in sizes { #expect(abs(size - people.count / count) < 200, "\(sizes)") }
  }

  @Test(arguments: [("copy", "time"), ("copy", "copy2"), ("a", "b"), ("", "copy")])
  func experimentsAreIndependentOfEachOther(first: String, second: String) {
    let both = people.count { user in
      [first, second].allSatisfy { VariantAssignment.variant(of: 2, experiment: $0, user: user) == 1 }
    }

    #expect(abs(both - people.count / 4) < 200, "\(both)")
  }

  @Test(arguments: [1, 0, -1, .min])
  func withoutAChoiceEverybodyGetsTheFirst(count: Int) {
    #expect(people.prefix(100).allSatisfy { VariantAssignment.variant(of: count, experiment: "x", user: $0) == 0 })
  }
}

struct ReleaseJitterTests {
  @Test func aPersonsDelayIsTheSameInEveryProcess() {
    #expect(ReleaseJitter.delay(for: Sample.user) == 31.803)
  }

  @Test func delaysSpreadOverTheWholeMinute() {
    var tenths = Array(repeating: 0, count: 10)
    for user in people { tenths[Int(ReleaseJitter.delay(for: user) / 6)] += 1 }

    for size in tenths { #expect(abs(size - people.count / 10) < 150, "\(tenths)") }
  }
}

/// Ten thousand ids that differ in few bits, as the worst generators make them.
private let people = (0..<10_000).map { number in
  UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xff)))
}
