import FunctionKit
import TestSupport
import Testing

@testable import Chaos

struct PlanTests {
  @Test func theSameSeedAndRoundPlayTheSamePlan() {
    for round in 1...8 {
      #expect(Plan(seed: 7, round: round) == Plan(seed: 7, round: round))
      #expect(Plan(seed: 7, round: round) != Plan(seed: 7, round: round + 4))
    }
    #expect(Plan(seed: 7, round: 2) != Plan(seed: 8, round: 2))
  }

  @Test func everyFaultHasItsTurnAndTheFirstRoundHasNone() {
    #expect(Plan(seed: 7, round: 1).steps.isEmpty)
    for round in 2...4 {
      #expect(Set(Plan(seed: 7, round: round).steps.map(\.fault)) == Set(Plan.Fault.allCases))
    }
    let leftOut = Plan(seed: 7, round: 2, faults: Plan.Fault.allCases.filter { $0 != .diskFull })
    #expect(!leftOut.steps.contains { $0.fault == .diskFull })
  }

  @Test func aWriterWritesTheSameTransactionsAgain() {
    func texts(preparing: Bool) -> [String] {
      var series = SplitMix(seed: 7)
      var transactions = Transactions(writer: 3, prepares: preparing)
      return (0..<200).map { _ in transactions.next(&series).text }
    }

    #expect(texts(preparing: true) == texts(preparing: true))
    #expect(texts(preparing: true).contains { $0.contains("PREPARE TRANSACTION 'chaos-3-") })
    #expect(!texts(preparing: false).contains { $0.contains("PREPARE") })
    #expect(texts(preparing: false).contains { $0.contains("ROLLBACK TO SAVEPOINT") })
  }

  @Test func optionsAreReadAndOthersRefused() throws {
    let options = try Options(["--seed", "9", "--round", "3", "--seconds", "5", "--json"], seed: 1)

    #expect(options.seed == 9)
    #expect(options.numbers == [3])
    #expect(try Options(["--quick"], seed: 1).numbers == [1, 2])
    #expect(throws: FunctionError.self) { try Options(["--rounds", "0"], seed: 1) }
    #expect(throws: FunctionError.self) { try Options(["--fast"], seed: 1) }
  }
}
