import Testing

@testable import Queue

/// Nothing is passed over and nothing runs beside itself, whatever writers, the network and functions do.
struct QueueMachineModelTests {
  @Test(arguments: 0..<20)
  func everyEventIsSettledOnceAndTheMachineComesToRest(_ seed: UInt64) {
    var model = QueueMachineModel(seed: seed)

    model.run(steps: 500)

    #expect(model.faults.isEmpty)
    #expect(model.isIdle)
    #expect(Set(model.database.settled.keys) == model.database.committed)
    #expect(model.database.settled.values.allSatisfy { $0 == 1 })
  }

  @Test func theModelPollsAheadToo() {
    let models = (0..<12 as Range<UInt64>).map { seed in
      var model = QueueMachineModel(seed: 2 * seed + 1)
      model.run(steps: 500)
      return model
    }

    #expect(models.contains { $0.pollsAhead > 0 })
  }
}
