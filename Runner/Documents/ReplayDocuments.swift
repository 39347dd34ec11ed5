package import FoundationEssentials

/// What a function decided about one person, as a test of the event expects it.
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
    (decision, reason, until) = (report.verdict.decision, report.verdict.reason, report.verdict.until)
    gate = report.gates.first { $0.verdict == .stopped }?.gate
  }

  /// Whether it is about the same.
  package func isAbout(_ other: ExpectedDecision) -> Bool {
    (person, kind, subject) == (other.person, other.kind, other.subject)
  }

  /// Whether the same was decided, for the same reason, and until the same second if that is known.
  package func agrees(with other: ExpectedDecision) -> Bool {
    (decision, reason) == (other.decision, other.reason)
      && (gate == nil || other.gate == nil || gate == other.gate)
      && (until.flatMap { end in other.until.map { abs($0.timeIntervalSince(end)) < 1 } } ?? true)
  }
}

/// How a test of an event has ended.
package struct ReplayDocument: Codable, Sendable {
  package var file: String
  package var function: String
  /// How many people were decided about as expected.
  package var agreeing: Int
  /// The others; empty if the test passes.
  package var differences: [Difference]

  package init(file: String, function: String, expected: [ExpectedDecision], got: [ExpectedDecision]) {
    (self.file, self.function) = (file, function)
    differences =
      expected.compactMap { one in
        let same = got.first { $0.isAbout(one) }
        return same.map(one.agrees) == true ? nil : Difference(expected: one, got: same)
      }
      + got.filter { one in !expected.contains { $0.isAbout(one) } }.map { Difference(expected: nil, got: $0) }
    agreeing = expected.count - differences.count { $0.expected != nil }
  }

  /// A person about whom it was decided otherwise.
  package struct Difference: Codable, Sendable {
    /// Absent if nothing was expected about them.
    package var expected: ExpectedDecision?
    /// Absent if nothing was decided about them.
    package var got: ExpectedDecision?

    package init(expected: ExpectedDecision?, got: ExpectedDecision?) {
      (self.expected, self.got) = (expected, got)
    }
  }
}
