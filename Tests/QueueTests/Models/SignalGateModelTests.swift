import Testing

/// No matter in which order the steps come: a notified function runs for everything that is committed.
struct SignalGateModelTests {
  @Test(arguments: [
    SignalGateModel.Scope(writers: 3), .init(writers: 2, failures: 2), .init(writers: 2, failures: 1, limits: 1),
  ])
  func theFunctionRunsForWhateverIsCommitted(_ scope: SignalGateModel.Scope) {
    let exploration = Exploration(of: SignalGateModel(scope))

    #expect(exploration.isClean, "\(exploration.story)")
  }

  @Test(arguments: [
    SignalGateModel.Scope(writers: 2, failures: 1, givesUp: true), .init(writers: 2, limits: 1, givesUp: true),
  ])
  func whoStopsLookingBeforeEverybodyHasCommittedIsFoundOut(_ scope: SignalGateModel.Scope) {
    let exploration = Exploration(of: SignalGateModel(scope))

    #expect(exploration.counterexample?.steps.contains("B finds the lock taken") == true, "\(exploration.story)")
  }
}
