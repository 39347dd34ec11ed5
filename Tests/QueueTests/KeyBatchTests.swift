import Testing
import Workers

@testable import Manifest
@testable import Queue

/// Several events of one key that are on their way together.
struct KeyBatchTests {
  private func queue(_ together: Int, through last: Int64 = 0) -> FunctionQueue {
    var queue = FunctionQueue()
    queue.together = together
    for id in 1..<last + 1 { queue.load(.of(id, key: "a")) }
    return queue
  }

  private func start(_ queue: inout FunctionQueue, limit: Int = 1_000) -> [QueuedEvent] {
    var events: [QueuedEvent] = []
    while let event = queue.next(limit: limit) { events.append(event) }
    return events
  }

  private func ids(_ events: [QueuedEvent]) -> [Int64] { events.map(\.place.id) }

  @Test func asManyStartAsMayAndTheNextOneAsSoonAsAnyHasEnded() {
    var queue = queue(3, through: 6)
    let first = start(&queue)
    #expect(ids(first) == [1, 2, 3])

    queue.ended(first[1])
    #expect(ids(start(&queue)) == [4])
    queue.ended(first[0])
    queue.ended(first[2])

    #expect(ids(start(&queue)) == [5, 6])
  }

  @Test func aFailedOneLetsThoseBehindItGoOnAndComesAgainInItsTurn() {
    var queue = queue(2, through: 3)
    let first = start(&queue)
    queue.ended(first[0], holds: true)
    var again = first[0]
    again.place.table = .retries
    queue.load(again)

    #expect(ids(start(&queue)) == [3])
    queue.ended(first[1])

    #expect(ids(start(&queue)) == [1])
  }

  @Test func whatIsPutBackStandsInItsOrderHoweverItComes() {
    var queue = queue(5, through: 7)
    queue.load(.of(8, key: "b"))
    let first = start(&queue, limit: 4)
    #expect(ids(first) == [1, 2, 3, 4])

    queue.isPaused = true
    for index in [2, 0, 3, 1] { queue.putBack(first[index]) }
    #expect(queue.running == 0)
    queue.isPaused = false

    #expect(ids(start(&queue)) == [1, 2, 3, 4, 5, 8])
  }

  @Test func whatIsPutBackLateComesBeforeWhatHasNotBeenStarted() {
    var queue = queue(3, through: 4)
    let first = start(&queue)
    queue.putBack(first[1])
    queue.ended(first[2])

    #expect(ids(start(&queue)) == [2, 4])
    queue.putBack(first[0])

    #expect(ids(start(&queue)) == [1])
  }

  @Test func ofALostPartitionWhatRunsStillCounts() {
    var queue = queue(3, through: 8)
    let first = start(&queue)
    queue.ended(first[2])
    #expect(ids(start(&queue, limit: 3)) == [4])
    queue.ended(first[1])

    // 1 and 4 run, 5 may start, and the others stand behind.
    #expect(ids(queue.forget(partitions: [0])).sorted() == [5, 6, 7, 8])
    #expect(queue.count == 2)
    for id: Int64 in 1...4 { queue.load(.of(id, key: "a")) }

    #expect(ids(start(&queue)) == [1], "one may run beside the two")
    queue.ended(first[0], isForeign: true)
    #expect(ids(start(&queue)) == [2])
  }

  @Test func aHotKeyHasEnoughInMemoryForItsNextBatches() {
    var queue = queue(64)
    for id: Int64 in 1...1_000 { queue.arrive(.of(id, key: "a"), isLate: false) }
    #expect(queue.count == 64 + 256)
    var running = start(&queue)
    #expect(running.count == 64)
    #expect(queue.hungryKeys(9).isEmpty)

    while queue.hungryKeys(9).isEmpty {
      running.forEach { queue.ended($0) }
      running = start(&queue)
      #expect(running.count == 64)
    }

    #expect(queue.count >= 2 * 64, "and it is read for before they have run out")
    #expect(queue.hungryKeys(9).map(\.backlog) == [Backlog(after: 320, through: 1_000)])
  }

  @Test func oneAfterTheOtherFewAreInMemory() {
    var queue = queue(1)
    for id: Int64 in 1...1_000 { queue.arrive(.of(id, key: "a"), isLate: false) }

    #expect(queue.count == 33)
  }

  @Test func aFunctionThatBlocksRunsOneOfAKeyAtATime() {
    var scene = MachineScene([.of("f", blocks: true, batch: 8)])
    scene.poll(.new(1, key: "a"), .new(2, key: "a"), .new(3, key: "b"), .new(4, key: "b"))
    #expect(scene.starts == [1, 3])

    scene.end(1, .exited(65, output: nil))
    scene.end(3)

    #expect(scene.starts == [1, 3, 4], "2 waits, and nobody has touched it")
  }

  @Test func batchesAreFollowedWhenTheyChange() {
    var scene = MachineScene()
    scene.poll(contentsOf: (1...20).map { .new($0, key: "a") })
    #expect(scene.starts == [1])
    scene.machine.use(.init([.of("f", batch: 4)]), now: scene.now)
    scene.end(1)
    #expect(scene.starts == [1, 2, 3, 4, 5])

    scene.machine.use(.init([.of("f")]), now: scene.now)
    for id: Int64 in [2, 3, 4] { scene.end(id) }
    #expect(scene.starts == [1, 2, 3, 4, 5], "one still runs")
    scene.end(5)

    #expect(scene.starts == [1, 2, 3, 4, 5, 6])
  }

  @Test func aPausedBatchBeginsAgainInItsOrder() {
    var scene = MachineScene([.of("f", batch: 4)])
    scene.poll(contentsOf: (1...6).map { .new($0, key: "a") })
    scene.end(1)
    for id: Int64 in [2, 3, 4, 5] { scene.end(id, .exited(78, output: nil)) }
    #expect(scene.toSettle == [1])

    scene.machine.resume("f")
    scene.start(["f"])

    #expect(scene.starts == [1, 2, 3, 4, 5] + [2, 3, 4, 5])
  }

  @Test func aFunctionWithBatchesRunsAnEventAloneAfterItsFirstCrash() {
    #expect(QueueMachine.crashesUntilAlone(.of("f")) == 2)
    #expect(QueueMachine.crashesUntilAlone(.of("f", batch: 2)) == 1)
  }
}
