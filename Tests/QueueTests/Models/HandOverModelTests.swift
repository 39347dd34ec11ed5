import Testing

/// No matter in which order the steps come: a partition changes hands without an event that is passed over or settled twice.
struct HandOverModelTests {
  @Test(arguments: [
    HandOverModel.Scope(isOvertaking: true, startsAtOnce: true, expiries: 1),
    .init(expiries: 2),
    .init(expiries: 1, sessionLosses: 1),
    .init(sessionLosses: 2),
    .init(listenerLosses: 1),
    .init(releases: 1),
  ])
  func everythingIsSettledOnce(_ scope: HandOverModel.Scope) {
    let exploration = Exploration(of: HandOverModel(scope))

    #expect(exploration.isClean, "\(exploration.story)")
  }

  @Test func aFenceThatDoesNotHoldThePartitionIsFoundOut() {
    let exploration = Exploration(of: HandOverModel(.init(expiries: 1, fencesWeakly: true)))

    #expect(exploration.counterexample?.violation == "Runner 0 settles [1], and the partition is not its own.")
  }

  @Test func whoOverlooksWhatHasEndedAndIsNotSettledIsFoundOut() {
    let exploration = Exploration(of: HandOverModel(.init(sessionLosses: 1, overlooksEnded: true)))

    #expect(exploration.counterexample?.violation == "[1] have ended and are started again.")
  }
}
