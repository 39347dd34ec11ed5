import FoundationEssentials
import FunctionKit
import Testing

@testable import Documents

/// How decisions about an exported event are compared.
struct ReplayDocumentTests {
  private static func decision(
    of person: Int = 1, _ word: Verdict.Word = .hold, _ reason: String? = nil, until: TimeInterval? = nil
  ) throws -> ExpectedDecision {
    let id = try #require(UUID(uuidString: "a0000000-0000-4000-8000-00000000000\(person)"))
    return ExpectedDecision(
      DecisionReport(
        person: PersonSummary(id: RowID(uuid: id), name: "Ada", email: nil), recipientReason: "member", app: "app",
        kind: "kind", subject: "subject", event: "1", function: "function", at: .distantPast,
        verdict: Verdict(
          decision: word, reason: reason, until: until.map { Date(timeIntervalSince1970: 6_000_000 + $0) }),
        gates: []))
  }

  @Test(arguments: ["quiet_hours", "muted"])
  func theEndOfAHoldAgreesForPeopleWhoseIDsDelayItOtherwise(reason: String) throws {
    let one = try Self.decision(.hold, reason, until: 46.385)
    #expect(one.until == Date(timeIntervalSince1970: 6_000_000), "the seconds tell something of the id")
    for delay in [0, 4.104, 59.9, 60, 100] {
      #expect(one.agrees(with: try Self.decision(.hold, reason, until: delay)), "\(delay)")
    }
    #expect(!one.agrees(with: try Self.decision(.hold, reason, until: 180)))
  }

  @Test func anotherHoldEndsAtTheSameSecond() throws {
    let one = try Self.decision(.hold, "batched", until: 46)
    #expect(one.agrees(with: try Self.decision(.hold, "batched", until: 46.5)))
    #expect(!one.agrees(with: try Self.decision(.hold, "batched", until: 50)))
  }

  @Test func whatCannotBeComparedIsNoDifference() throws {
    let (expected, got) = (
      [try Self.decision(of: 1, .notify), try Self.decision(of: 2, .notify), try Self.decision(of: 3, .notify)],
      [
        try Self.decision(of: 1, .suppress), try Self.decision(of: 2, .suppress), try Self.decision(of: 3, .notify),
        try Self.decision(of: 4, .notify),
      ]
    )
    let doubt = ReplayDoubt("settings has changed since", of: expected[0].person)
    let one = ReplayDocument(file: "f", function: "f", expected: expected, got: got, doubts: [doubt])
    #expect(one.agreeing == 1 && one.differences.count == 2 && one.incomparable.count == 1)
    #expect(one.incomparable.first?.doubt == doubt.reason && one.differences.allSatisfy { $0.doubt == nil })
    let all = ReplayDocument(
      file: "f", function: "f", expected: expected, got: got, doubts: [ReplayDoubt("feedbacks has changed since")])
    #expect(all.agreeing == 1 && all.differences.isEmpty && all.incomparable.count == 3)
  }
}
