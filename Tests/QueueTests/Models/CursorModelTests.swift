import Testing

@testable import Queue

/// No matter in which order writers and the runner take their steps: no id is passed over, none is read twice, and none is
/// taken before an older one that could be seen.
struct CursorModelTests {
  @Test(arguments: [
    CursorModel<PartitionCursor>.Scope(writers: WriterScope(draws: [2, 1], prepares: true), settles: true),
    .init(writers: WriterScope(draws: [2, 1], savepoints: true)),
    .init(writers: WriterScope(draws: [2, 2], rollsBack: false), batch: 1, leaves: true),
    .init(writers: WriterScope(draws: [1, 1, 1])),
    .init(writers: WriterScope(draws: [1, 1, 1]), batch: 1, settles: true, leaves: true),
    .init(writers: WriterScope(draws: [1, 1, 1, 1], rollsBack: false)),
    .init(writers: WriterScope(draws: [3, 1, 1], rollsBack: false), batch: 1),
  ])
  func nothingIsPassedOverOrReadTwiceOrOvertaken(_ scope: CursorModel<PartitionCursor>.Scope) {
    let exploration = Exploration(of: CursorModel<PartitionCursor>(scope))

    #expect(exploration.isClean, "\(exploration.story)")
    #expect(exploration.states > 2_000)
  }

  /// The two transactions, one lost: the younger has the lower id.
  @Test func theRuleThatTookXmaxForTheHighestTransactionBegunIsFoundOut() {
    let exploration = Exploration(
      of: CursorModel<OldCursor>(.init(writers: WriterScope(draws: [1, 1], rollsBack: false))))

    #expect(exploration.counterexample?.steps.count == 7, "\(exploration.story)")
    #expect(exploration.counterexample?.violation == "The ids [1] are passed over.")
  }

  /// New rows were taken while holes were not looked into, and so before an import that had been committed.
  @Test func aRunnerThatPassesHolesIsFoundOut() {
    let exploration = Exploration(
      of: CursorModel<PartitionCursor>(
        .init(writers: WriterScope(draws: [1, 1, 1], rollsBack: false), passesHoles: true)))

    #expect(exploration.counterexample?.violation == "The id 3 is taken before [1].", "\(exploration.story)")
  }

  /// Rows that stand above a hole were taken with the first rows of the hole that a poll brings.
  @Test func aRunnerThatPassesTheRestOfAHoleIsFoundOut() {
    let exploration = Exploration(
      of: CursorModel<PartitionCursor>(
        .init(writers: WriterScope(draws: [2, 1, 1], rollsBack: false), batch: 1, passesEnds: true)))

    #expect(exploration.counterexample?.violation == "The id 4 is taken before [2].", "\(exploration.story)")
  }

  @Test func aRunnerThatLooksAtTheLocksAfterItHasReadIsFoundOut() {
    let exploration = Exploration(
      of: CursorModel<PartitionCursor>(.init(writers: WriterScope(draws: [1, 1], rollsBack: false), looksLate: true)))

    #expect(exploration.counterexample != nil)
  }
}
