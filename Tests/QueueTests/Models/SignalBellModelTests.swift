import Testing

/// No matter in which order the steps come: a notified function runs for everything that is committed.
struct SignalBellModelTests {
  @Test(arguments: [
    SignalBellModel.Scope(writers: 3), .init(writers: 2, failures: 2), .init(writers: 2, failures: 1, limits: 1),
  ])
  func theFunctionRunsForWhateverIsCommitted(_ scope: SignalBellModel.Scope) {
    let exploration = Exploration(of: SignalBellModel(scope))

    #expect(exploration.isClean, "\(exploration.story)")
  }

  @Test(arguments: [
    SignalBellModel.Scope(writers: 2, failures: 1, givesUp: true), .init(writers: 2, limits: 1, givesUp: true),
  ])
  func whoStopsLookingBeforeEverybodyHasCommittedIsFoundOut(_ scope: SignalBellModel.Scope) {
    let exploration = Exploration(of: SignalBellModel(scope))

    #expect(exploration.counterexample?.steps.contains("B finds the lock taken") == true, "\(exploration.story)")
  }
}
