import Testing

/// No matter in which order the steps come: the runner does not sleep beside an event that nobody will tell it of.
struct NotifyGateModelTests {
  @Test(arguments: [
    NotifyGateModel.Scope(writers: [0, 0], settlings: 2),
    .init(writers: [0, 0], windows: 3),
    .init(writers: [0], failures: 2),
    .init(writers: [0, 0], failures: 1),
    .init(writers: [0, 1], partitionChanges: 2),
    .init(writers: [0], failures: 1, partitionChanges: 1, windows: 2),
  ])
  func whoSleepsIsWoken(_ scope: NotifyGateModel.Scope) {
    let exploration = Exploration(of: NotifyGateModel(scope))

    #expect(exploration.isClean, "\(exploration.story)")
  }

  @Test func theRuleThatTookXmaxForTheHighestTransactionBegunIsFoundOut() {
    let exploration = Exploration(of: NotifyGateModel(.init(writers: [0], trustsSnapshots: true)))

    #expect(exploration.counterexample?.steps.contains("A finds the lock free, and has it") == true)
  }
}
