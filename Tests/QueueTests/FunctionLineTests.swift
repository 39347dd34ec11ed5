import Testing

@testable import Queue

struct FunctionLineTests {
  private func event(_ id: Int64, key: String? = nil) -> QueuedEvent {
    QueuedEvent(
      place: .init(lane: 0, id: id, table: .events), function: "f", key: key, eventID: "\(id)", line: [])
  }

  private func ids(_ line: inout FunctionLine, limit: Int = 10) -> [Int64] {
    var ids: [Int64] = []
    while let event = line.next(limit: limit) { ids.append(event.place.id) }
    return ids
  }

  @Test func startsNoMoreThanTheLimit() {
    var line = FunctionLine()
    (1...5).forEach { line.load(event($0)) }

    #expect(ids(&line, limit: 2) == [1, 2])
    line.ended(event(1))
    #expect(ids(&line, limit: 2) == [3])
    #expect(line.count == 4)
  }

  @Test func eventsOfOneKeyWaitForEachOtherAndOthersDoNot() {
    var line = FunctionLine()
    [(1, "a"), (2, "a"), (3, "b"), (4, "a")].forEach { line.load(event($0.0, key: $0.1)) }

    #expect(ids(&line) == [1, 3])
    line.ended(event(1, key: "a"))
    #expect(ids(&line) == [2])
    line.ended(event(3, key: "b"))
    line.ended(event(2, key: "a"))
    #expect(ids(&line) == [4])
  }

  @Test func aKeyIsFreeAgainWhenItsLastEventHasEnded() {
    var line = FunctionLine()
    line.load(event(1, key: "a"))
    _ = ids(&line)
    line.ended(event(1, key: "a"))

    line.load(event(2, key: "a"))

    #expect(ids(&line) == [2])
  }

  @Test func anEventPutBackComesFirstAgain() {
    var line = FunctionLine()
    [1, 2].forEach { line.load(event($0, key: "k\($0)")) }
    guard let first = line.next(limit: 1) else { return #expect(Bool(false), "nothing to start") }

    line.putBack(first)
    line.isPaused = true
    #expect(ids(&line).isEmpty)
    line.isPaused = false

    #expect(ids(&line) == [1, 2])
  }

  @Test func whatHasNoRoomIsLeftAndReadFromThere() {
    var line = FunctionLine()
    line.most = 2
    (1...5).forEach { line.arrive(event($0), isLate: false) }

    #expect(line.count == 2)
    #expect(line.unread == [0: Unread(after: 2, through: 5)])
    #expect(ids(&line) == [1, 2])
    [1, 2].forEach { line.ended(event($0)) }
    line.read(lane: 0, through: 4)
    [3, 4].forEach { line.load(event($0)) }

    #expect(ids(&line) == [3, 4])
    #expect(line.unread == [0: Unread(after: 4, through: 5)])
  }

  @Test func aLateEventIsTakenEvenWithoutRoomAndNeverTwice() {
    var line = FunctionLine()
    line.most = 1
    line.arrive(event(10), isLate: false)
    line.arrive(event(11), isLate: false)

    line.arrive(event(5), isLate: true)
    line.arrive(event(12), isLate: true)

    #expect(ids(&line) == [10, 5])
    #expect(line.unread == [0: Unread(after: 10, through: 12)])
  }

  @Test func aFailedEventHoldsItsKeyAndNoOther() {
    var line = FunctionLine()
    line.blocks = true
    [(1, "a"), (2, "a"), (3, "b")].forEach { line.load(event($0.0, key: $0.1)) }
    #expect(ids(&line) == [1, 3])

    line.ended(event(1, key: "a"), holds: true)
    line.ended(event(3, key: "b"))
    line.load(event(4, key: "a"))
    #expect(ids(&line).isEmpty)
    #expect(line.count == 0, "what is held stays in the database")

    var again = event(1, key: "a")
    again.place.table = .retries
    line.load(again)
    #expect(ids(&line) == [1])
    line.ended(again)
    #expect(line.hungryKeys(9).map(\.unread) == [Unread(after: 1, through: 4)])
  }

  @Test func aHeldKeyIsFreeWhenItsDeadLetterIsGone() {
    var line = FunctionLine()
    line.blocks = true
    line.hold(["a": (0, [1])], unsettled: [:], lanes: [0])
    line.load(event(2, key: "a"))
    #expect(ids(&line).isEmpty)

    line.hold([:], unsettled: [:], lanes: [0])

    #expect(line.hungryKeys(9).map(\.key) == ["a"])
  }

  @Test func aFailureThatIsNotSettledYetGoesOnHolding() {
    var line = FunctionLine()
    line.blocks = true
    line.load(event(1, key: "a"))
    _ = ids(&line)
    line.ended(event(1, key: "a"), holds: true)

    line.hold([:], unsettled: [0: [1]], lanes: [0])
    line.load(event(2, key: "a"))

    #expect(ids(&line).isEmpty)
  }

  @Test func theSameIdOfAnotherLaneHoldsNothing() {
    var line = FunctionLine()
    line.blocks = true
    line.load(event(1, key: "a"))
    _ = ids(&line)
    line.ended(event(1, key: "a"), holds: true)
    line.load(event(2, key: "a"))

    line.hold([:], unsettled: [3: [1]], lanes: [0])

    #expect(line.hungryKeys(9).map(\.key) == ["a"])
  }

  @Test func whatIsAnotherRunnersIsForgottenButWhatRunsIsCounted() {
    var line = FunctionLine()
    [(1, "a"), (2, "a"), (3, "b")].forEach { line.load(event($0.0, key: $0.1)) }
    #expect(line.next(limit: 1)?.place.id == 1)

    #expect(line.forget(lanes: [0]).map(\.place.id).sorted() == [2, 3])

    #expect(line.count == 1)
    line.ended(event(1, key: "a"), isForeign: true)
    #expect(line.count == 0)
  }

  @Test func isIdleWhenNothingRunsOrCouldRun() {
    var line = FunctionLine()
    line.blocks = true
    #expect(line.isIdle)
    [(1, "a"), (2, "a")].forEach { line.load(event($0.0, key: $0.1)) }
    #expect(!line.isIdle)
    #expect(ids(&line) == [1])
    line.isPaused = true
    #expect(!line.isIdle)

    line.ended(event(1, key: "a"), holds: true)
    line.isPaused = false
    #expect(line.isIdle)
    line.hold([:], unsettled: [:], lanes: [0])
    #expect(!line.isIdle)
  }
}
