package import FoundationEssentials

/// A function's decision about one person, as a test of the event expects it.
package struct ExpectedDecision: Codable, Sendable, Equatable {
  /// The most people of a test.
  package static let most = 100

  package var person: RowID
  /// For those who read it; nothing is compared with it.
  package var name: String?
  package var kind: String
  package var subject: String
  package var decision: Verdict.Word
  /// Why they were not told at once.
  package var reason: String?
  /// The end of the hold; absent if it is not held, or its inputs were not recorded.
  package var until: Date?
  /// The gate that stopped it, by its name in the program; absent if none did, or its inputs were not recorded.
  package var gate: String?

  package init(_ report: DecisionReport) {
    (person, name) = (report.person.id, report.person.name)
    (kind, subject) = (report.kind, report.subject)
    (decision, reason) = (report.verdict.decision, report.verdict.reason)
    until = report.verdict.until.map { Self.spreads(reason) ? Self.minute(of: $0) : $0 }
    gate = report.gates.first { $0.verdict == .stopped }?.gate
  }

  /// Whether it is about the same.
  package func isAbout(_ other: ExpectedDecision) -> Bool {
    (person, kind, subject) == (other.person, other.kind, other.subject)
  }

  /// Whether the same was decided, for the same reason, and until the same time if that is known: the same second, or
  /// the same minute or one next to it where people's ids spread the end over a minute.
  package func agrees(with other: ExpectedDecision) -> Bool {
    (decision, reason) == (other.decision, other.reason)
      && (gate == nil || other.gate == nil || gate == other.gate)
      && (until.flatMap { end in other.until.map { abs($0.timeIntervalSince(end)) < tolerance } } ?? true)
  }

  private var tolerance: TimeInterval { Self.spreads(reason) ? 61 : 1 }

  /// Whether the end of such a hold depends on the person's id, which is another one in a file.
  private static func spreads(_ reason: String?) -> Bool { ["quiet_hours", "muted"].contains(reason) }

  /// When its minute began: the seconds would tell something of the id.
  private static func minute(of time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 / 60).rounded(.down) * 60)
  }
}

/// Why a decision that is made again may come out otherwise although functions decide as before.
package struct ReplayDoubt: Codable, Sendable, Equatable {
  /// In a sentence without a full stop.
  package var reason: String
  /// About whom alone; absent if it is about everybody.
  package var person: RowID?

  package init(_ reason: String, of person: RowID? = nil) {
    (self.reason, self.person) = (reason, person)
  }
}

/// How a test of an event has ended.
package struct ReplayDocument: Codable, Sendable {
  package var file: String
  package var function: String
  /// How many decisions were as expected.
  package var agreeing: Int
  /// The others; empty if the test passes.
  package var differences: [Difference]
  /// The decisions that came out otherwise, and may do so although functions decide as before.
  package var incomparable: [Difference] = []

  package init(
    file: String, function: String, expected: [ExpectedDecision], got: [ExpectedDecision], doubts: [ReplayDoubt] = []
  ) {
    (self.file, self.function) = (file, function)
    let all =
      expected.compactMap { one in
        let same = got.first { $0.isAbout(one) }
        return same.map(one.agrees) == true ? nil : Difference(expected: one, got: same, doubts)
      }
      + got.filter { one in !expected.contains { $0.isAbout(one) } }.map { Difference(expected: nil, got: $0, doubts) }
    differences = all.filter { $0.doubt == nil }
    incomparable = all.filter { $0.doubt != nil }
    agreeing = expected.count - all.count { $0.expected != nil }
  }

  /// A person about whom it was decided otherwise.
  package struct Difference: Codable, Sendable {
    /// Absent if nothing was expected about them.
    package var expected: ExpectedDecision?
    /// Absent if nothing was decided about them.
    package var got: ExpectedDecision?
    /// Why the two cannot be compared; absent if they can.
    package var doubt: String?

    init(expected: ExpectedDecision?, got: ExpectedDecision?, _ doubts: [ReplayDoubt]) {
      (self.expected, self.got) = (expected, got)
      let person = expected?.person ?? got?.person
      doubt = doubts.first { $0.person == nil || $0.person == person }?.reason
    }
  }
}
