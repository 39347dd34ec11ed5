import Testing

@testable import Queue

struct FunctionQueueTests {
  private func event(_ id: Int64, key: String? = nil) -> QueuedEvent {
    QueuedEvent(
      place: .init(partition: 0, id: id, table: .events), function: "f", key: key, eventID: "\(id)", line: [])
  }

  private func ids(_ queue: inout FunctionQueue, limit: Int = 10) -> [Int64] {
    var ids: [Int64] = []
    while let event = queue.next(limit: limit) { ids.append(event.place.id) }
    return ids
  }

  @Test func startsNoMoreThanTheLimit() {
    var queue = FunctionQueue()
    (1...5).forEach { queue.load(event($0)) }

    #expect(ids(&queue, limit: 2) == [1, 2])
    queue.ended(event(1))
    #expect(ids(&queue, limit: 2) == [3])
    #expect(queue.count == 4)
  }

  @Test func eventsOfOneKeyWaitForEachOtherAndOthersDoNot() {
    var queue = FunctionQueue()
    [(1, "a"), (2, "a"), (3, "b"), (4, "a")].forEach { queue.load(event($0.0, key: $0.1)) }

    #expect(ids(&queue) == [1, 3])
    queue.ended(event(1, key: "a"))
    #expect(ids(&queue) == [2])
    queue.ended(event(3, key: "b"))
    queue.ended(event(2, key: "a"))
    #expect(ids(&queue) == [4])
  }

  @Test func aKeyIsFreeAgainWhenItsLastEventHasEnded() {
    var queue = FunctionQueue()
    queue.load(event(1, key: "a"))
    _ = ids(&queue)
    queue.ended(event(1, key: "a"))

    queue.load(event(2, key: "a"))

    #expect(ids(&queue) == [2])
  }

  @Test func anEventPutBackComesFirstAgain() {
    var queue = FunctionQueue()
    [1, 2].forEach { queue.load(event($0, key: "k\($0)")) }
    guard let first = queue.next(limit: 1) else { return #expect(Bool(false), "nothing to start") }

    queue.putBack(first)
    queue.isPaused = true
    #expect(ids(&queue).isEmpty)
    queue.isPaused = false

    #expect(ids(&queue) == [1, 2])
  }

  @Test func whatHasNoRoomIsLeftAndReadFromThere() {
    var queue = FunctionQueue()
    queue.most = 2
    (1...5).forEach { queue.arrive(event($0), isLate: false) }

    #expect(queue.count == 2)
    #expect(queue.backlog == [0: Backlog(after: 2, through: 5)])
    #expect(ids(&queue) == [1, 2])
    [1, 2].forEach { queue.ended(event($0)) }
    queue.read(partition: 0, through: 4)
    [3, 4].forEach { queue.load(event($0)) }

    #expect(ids(&queue) == [3, 4])
    #expect(queue.backlog == [0: Backlog(after: 4, through: 5)])
  }

  @Test func aLateEventIsTakenEvenWithoutRoomAndNeverTwice() {
    var queue = FunctionQueue()
    queue.most = 1
    queue.arrive(event(10), isLate: false)
    queue.arrive(event(11), isLate: false)

    queue.arrive(event(5), isLate: true)
    queue.arrive(event(12), isLate: true)

    #expect(ids(&queue) == [10, 5])
    #expect(queue.backlog == [0: Backlog(after: 10, through: 12)])
  }

  @Test func aFailedEventHoldsItsKeyAndNoOther() {
    var queue = FunctionQueue()
    queue.blocks = true
    [(1, "a"), (2, "a"), (3, "b")].forEach { queue.load(event($0.0, key: $0.1)) }
    #expect(ids(&queue) == [1, 3])

    queue.ended(event(1, key: "a"), holds: true)
    queue.ended(event(3, key: "b"))
    queue.load(event(4, key: "a"))
    #expect(ids(&queue).isEmpty)
    #expect(queue.count == 0, "what is held stays in the database")

    var again = event(1, key: "a")
    again.place.table = .retries
    queue.load(again)
    #expect(ids(&queue) == [1])
    queue.ended(again)
    #expect(queue.hungryKeys(9).map(\.backlog) == [Backlog(after: 1, through: 4)])
  }

  @Test func aHeldKeyIsFreeWhenItsDeadLetterIsGone() {
    var queue = FunctionQueue()
    queue.blocks = true
    queue.hold(["a": (0, [1])], partitions: [0])
    queue.load(event(2, key: "a"))
    #expect(ids(&queue).isEmpty)

    queue.hold([:], partitions: [0])

    #expect(queue.hungryKeys(9).map(\.key) == ["a"])
  }

  @Test func aFailureOfAnotherPartitionHoldsNothing() {
    var queue = FunctionQueue()
    queue.blocks = true
    queue.load(event(1, key: "a"))
    _ = ids(&queue)
    queue.ended(event(1, key: "a"), holds: true)
    queue.load(event(2, key: "a"))

    queue.hold([:], partitions: [3])
    #expect(queue.hungryKeys(9).isEmpty)
    queue.hold(["b": (3, [1])], partitions: [0, 3])

    #expect(queue.hungryKeys(9).map(\.key) == ["a"])
  }

  @Test func whatIsAnotherRunnersIsForgottenButWhatRunsIsCounted() {
    var queue = FunctionQueue()
    [(1, "a"), (2, "a"), (3, "b")].forEach { queue.load(event($0.0, key: $0.1)) }
    #expect(queue.next(limit: 1)?.place.id == 1)

    #expect(queue.forget(partitions: [0]).map(\.place.id).sorted() == [2, 3])

    #expect(queue.count == 1)
    queue.ended(event(1, key: "a"), isForeign: true)
    #expect(queue.count == 0)
  }

  @Test func isIdleWhenNothingRunsOrCouldRun() {
    var queue = FunctionQueue()
    queue.blocks = true
    #expect(queue.isIdle)
    [(1, "a"), (2, "a")].forEach { queue.load(event($0.0, key: $0.1)) }
    #expect(!queue.isIdle)
    #expect(ids(&queue) == [1])
    queue.isPaused = true
    #expect(!queue.isIdle)

    queue.ended(event(1, key: "a"), holds: true)
    queue.isPaused = false
    #expect(queue.isIdle)
    queue.hold([:], partitions: [0])
    #expect(!queue.isIdle)
  }
}
