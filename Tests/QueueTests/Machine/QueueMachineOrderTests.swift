import Testing

@testable import Queue

/// Events that come late are taken before newer ones, however many there are.
struct QueueMachineOrderTests {
  private static func late(_ ids: ClosedRange<Int64>) -> [NewEvent] { ids.map { .new($0, isLate: true) } }

  /// A machine that misses the ids 2 to 999.
  private func scene(_ others: NewEvent...) -> MachineScene {
    var scene = MachineScene()
    scene.allHaveEnded = false
    scene.poll(contentsOf: [.new(1), .new(1_000)] + others)
    return scene
  }

  @Test func whatStandsAboveAHoleThatWasReadInPartWaits() {
    var scene = scene()

    scene.poll(contentsOf: Self.late(2...301) + [.new(1_001)], limit: 1_000)
    #expect(scene.starts == [1, 1_000] + Array(2...301))
    scene.untilPoll()
    #expect(scene.waits.reduce(.zero, +) < .milliseconds(10), "there is more")
    #expect(scene.request?.cursors[0]?.last == 1_000)
    #expect(scene.request?.cursors[0]?.holes.map(\.ids) == [302...999])
    scene.poll(contentsOf: Self.late(302...310) + [.new(1_001)], limit: 1_000)

    #expect(scene.starts.suffix(2) == [310, 1_001])
  }

  @Test func aHoleAboveItIsNotTakenForRead() {
    var scene = scene(.new(1_002))

    scene.allHaveEnded = true
    scene.poll(contentsOf: Self.late(2...301) + [.new(1_001, isLate: true)], limit: 1_000)

    #expect(!scene.starts.contains(1_001))
    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.holes.map(\.ids) == [302...999, 1_001...1_001])
  }

  @Test func theBacklogAboveItWaits() {
    var scene = MachineScene()
    scene.allHaveEnded = false
    scene.poll(.new(1), .new(1_000, hasBody: false))
    scene.untilPoll()
    #expect(scene.request?.backlog.map(\.backlog) == [Backlog(after: 999, through: 1_000)])
    var answer = scene.seen(Self.late(2...301))
    answer.backlog[0].events = [.of(1_000)]

    scene.answer(answer)

    #expect(scene.machine.queues["f"]?.backlog[0] == Backlog(after: 999, through: 1_000))
  }

  /// Whether an event was there when the newer one of its key was read says the number of the transaction that wrote it.
  @Test(arguments: [(9 as Int64, 1), (10, 0)])
  func anEventThatWasPassedByForANewerOneOfItsKeyIsCounted(_ writer: Int64, _ count: Int) {
    var scene = seen(.new(5, key: "k"), xmin: 10)

    scene.poll(.new(3, key: "k", isLate: true, writer: writer))

    #expect(scene.starts == [1, 5], "it waits behind the newer one")
    #expect(scene.machine.outOfOrder == count)
    let said = scene.effects(where: { if case .outOfOrder(_, newer: 5) = $0 { true } else { false } })
    #expect(said.count == count)
  }

  /// A machine that misses ids, after a poll in whose snapshot every transaction below `xmin` had ended.
  private func seen(_ event: NewEvent, xmin: Int64, room: Int = FunctionQueue.most) -> MachineScene {
    var scene = MachineScene(room: room)
    scene.untilPoll()
    var answer = scene.seen([.new(1), event])
    answer.snapshot.xmin = xmin
    scene.answer(answer)
    return scene
  }

  @Test func whatWasLeftInTheDatabaseKeepsItsPlaceInLine() {
    var scene = seen(.new(5, key: "k"), xmin: 10, room: 1)

    scene.poll(.new(3, key: "k", isLate: true, writer: 9))

    #expect(scene.machine.queues["f"]?.backlog[0] == Backlog(after: 4, through: 5))
    #expect(scene.machine.outOfOrder == 0)
  }

  @Test func whatWasTakenBeforeEverythingIsReadAgainDoesNotCount() {
    var scene = seen(.new(5, key: "k"), xmin: 10)
    scene.machine.startOver(scene.now)
    scene.allHaveEnded = false
    scene.poll(.new(6))

    scene.poll(.new(3, key: "k", isLate: true, writer: 9))

    #expect(scene.machine.outOfOrder == 0)
  }

  /// Events of others in a long hole would not be read behind those that a function without room has there.
  @Test func aFunctionWithoutRoomKeepsALongHoleOpenAndNoShortOne() {
    var scene = MachineScene(room: 2)
    scene.poll(.new(1), .new(3), .new(1_000))
    #expect(scene.starts == [1, 3])

    scene.poll()
    #expect(scene.request?.crowded == ["f"])
    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.holes.map(\.ids) == [4...999])
    scene.answer()
    scene.end(1)
    scene.end(3)
    scene.poll()

    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.holes == [])
  }
}
