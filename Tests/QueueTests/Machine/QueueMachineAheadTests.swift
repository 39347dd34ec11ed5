import Testing

@testable import Queue

/// The poll that is asked for while the answer of the last one is taken.
struct QueueMachineAheadTests {
  private static let batch = (1...Int64(EventStore.batch)).map { NewEvent.new($0) }

  /// A machine that has asked ahead, and the request.
  private func ahead() throws -> (scene: MachineScene, request: PollRequest) {
    var scene = MachineScene()
    scene.untilPoll()
    _ = scene.machine.polled(in: 1)
    let asked = scene.machine.pollAhead(after: glance(Self.batch.map(\.place.id)), now: scene.now)
    let request = try #require(asked)
    scene.start(Array(scene.machine.take(scene.seen(Self.batch), now: scene.now)), limit: 1_000)
    return (scene, request)
  }

  private func glance(_ ids: [Int64]) -> PollReply.Glance {
    PollReply.Glance(ids: [0: ids], snapshot: .init(xmin: 2_000))
  }

  @Test func afterALargeBatchTheNextIsAskedForBeforeItIsTakenIn() throws {
    var (scene, request) = try ahead()

    #expect(request.cursors[0]?.last == Int64(EventStore.batch))
    #expect(request.retried.isEmpty, "retries are for polls that take everything in first")
    #expect(scene.starts.count == EventStore.batch)
    guard case .takePollAhead = scene.next() else { return #expect(Bool(false), "it waits") }
    scene.answer([.new(301)])

    #expect(scene.machine.queues["f"]?.count == 301)
    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.last == 301)
  }

  @Test(arguments: ["few events", "a hole", "a backlog", "no room", "a retry"])
  func itIsNotAskedAhead(_ obstacle: String) {
    var scene = MachineScene(room: obstacle == "no room" ? EventStore.batch : FunctionQueue.most)
    if obstacle == "a hole" {
      scene.allHaveEnded = false
      scene.poll(.new(1), .new(3))
    }
    if obstacle == "a backlog" { scene.poll(.new(1, hasBody: false)) }
    if obstacle == "a retry" {
      scene.untilPoll()
      var answer = scene.seen()
      answer.retries = [.retry(1)]
      scene.answer(answer)
    }
    scene.untilPoll()
    _ = scene.machine.polled(in: 1)

    let ids = obstacle == "few events" ? [Int64(1)] : Self.batch.map(\.place.id)
    let ahead = scene.machine.pollAhead(after: glance(ids), now: scene.now)
    #expect(ahead.map(\.lease) == nil)
  }

  @Test func whatEndedBeforeItWasAskedForIsSettledByIt() throws {
    var scene = MachineScene()
    scene.poll(.new(1))
    scene.untilPoll()
    scene.end(1)
    _ = scene.machine.polled(in: 1)

    let asked = scene.machine.pollAhead(after: glance((2...301).map { $0 }), now: scene.now)
    let request = try #require(asked)

    #expect(request.ended.map(\.place.id) == [1])
    #expect(scene.toSettle.isEmpty)
  }

  @Test func itsAnswerIsNotTakenAfterTheMachineHasStartedOver() throws {
    var (scene, _) = try ahead()
    scene.end(1)
    scene.machine.startOver(scene.now)
    let starts = scene.starts

    scene.answer([.new(301)])

    #expect(scene.starts == starts)
    scene.untilPoll()
    #expect(scene.request?.cursors == [0: PartitionCursor()], "everything is read again")
  }

  @Test func anEventOfItThatIsInHandIsReadAgainLater() {
    var scene = MachineScene()
    scene.poll(.new(1))
    // As after a loss of the session: the event runs and is read again.
    scene.machine.startOver(scene.now)
    scene.untilPoll()
    scene.answer([.new(1), .new(2)])

    #expect(scene.starts == [1, 2])
    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.brings(1) == true)
  }

  @Test func anEventThatIsSettledAheadWhileReadAgainDoesNotStart() {
    var scene = MachineScene()
    scene.poll(.new(1))
    scene.machine.startOver(scene.now)
    scene.untilPoll()
    scene.end(1)
    _ = scene.machine.polled(in: 1)
    _ = scene.machine.pollAhead(after: glance(Self.batch.map(\.place.id)), now: scene.now)

    scene.start(Array(scene.machine.take(scene.seen(Self.batch), now: scene.now)), limit: 1_000)

    #expect(scene.starts.filter { $0 == 1 } == [1])
    #expect(scene.machine.asked?.isVoid == true, "its id may be another event's by now, so it is read again")
  }

  @Test func anAnswerThatCannotBeReadIsReadAgainFromTheBeginning() {
    var scene = MachineScene()
    scene.untilPoll()
    _ = scene.machine.polled(in: 1)
    _ = scene.machine.pollAhead(after: glance(Self.batch.map(\.place.id)), now: scene.now)

    scene.fail(.database("a column", isOfNetwork: false))

    #expect(scene.machine.asked?.isVoid == true)
    scene.answer([.new(301)])
    #expect(scene.starts.isEmpty)
    scene.untilPoll()
    #expect(scene.request?.cursors == [0: PartitionCursor()])
  }
}
