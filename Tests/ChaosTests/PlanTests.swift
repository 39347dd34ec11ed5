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
    #expect(Set(Plan(seed: 7, round: 2).steps.map(\.fault)) == Set(Plan.Fault.allCases))
    let leftOut = Plan(seed: 7, round: 2, faults: Plan.Fault.allCases.filter { $0 != .diskFull })
    #expect(!leftOut.steps.contains { $0.fault == .diskFull })
  }

  @Test(arguments: [
    (1, false, false), (2, true, true), (3, false, true), (4, true, false), (5, false, false), (6, true, true),
  ])
  func aRoundHasAPoolerAndClocksOrNot(_ round: Int, _ pooler: Bool, _ clocks: Bool) {
    let plan = Plan(seed: 7, round: round)

    #expect(plan.hasPooler == pooler)
    #expect(plan.hasClocks == clocks)
    for fault in [Plan.Fault.poolerKilled, .poolerStopped] where round != 1 && round != 5 {
      #expect(plan.steps.contains { $0.fault == fault } == pooler)
    }
    let bare = Plan(seed: 7, round: round, faults: [.runnerKilled])
    #expect(!bare.hasPooler && !bare.hasClocks)
  }

  @Test func everyClockIsWrongInEveryWay() {
    let jumps = (0..<6).map { Clocks.Jump(choice: $0) }

    for owner in Clocks.Owner.allCases {
      #expect(Set(jumps.filter { $0.owner == owner }.map(\.ahead)) == [10_800, 90_000, -7_200])
    }
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
    #expect(try Options(["--only", "halfOpen,clockJumps"], seed: 1).faults == [.halfOpen, .clockJumps])
    #expect(throws: FunctionError.self) { try Options(["--rounds", "0"], seed: 1) }
    #expect(throws: FunctionError.self) { try Options(["--only", "halfopen"], seed: 1) }
    #expect(throws: FunctionError.self) { try Options(["--fast"], seed: 1) }
  }
}
