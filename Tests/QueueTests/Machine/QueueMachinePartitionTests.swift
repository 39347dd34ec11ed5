import Testing
import Workers

@testable import Manifest
@testable import Queue

/// Partitions that come and go, leases that run out, functions that change.
struct QueueMachinePartitionTests {
  @Test func aPartitionThatIsTakenIsReadFromTheBeginningAndTheOthersGoOn() {
    var scene = MachineScene()
    scene.poll(.new(7))
    scene.end(7)
    scene.poll()
    scene.poll()
    (scene.holding.lease[1], scene.holding.share) = (1, 2)

    scene.machine.lookForPartitions()
    scene.untilPoll()

    #expect(scene.request?.cursors.mapValues(\.last) == [0: 7, 1: 0])
  }

  @Test func whatRunsOfALostPartitionSettlesNothing() {
    var scene = MachineScene(partitions: [0, 1])
    scene.poll(.new(1), .new(5, partition: 1), .new(6, partition: 1))
    scene.end(6)
    scene.holding.lease[1] = nil

    scene.machine.lookForPartitions()
    scene.untilPoll()
    scene.end(1)
    scene.end(5)

    #expect(scene.request?.ended.isEmpty == true, "what had ended is the other runner's to settle")
    #expect(scene.toSettle == [1])
    #expect(scene.machine.runs == 0)
  }

  /// A process that was stopped for longer than its lease does not know whose its partitions are.
  @Test(arguments: [true, false]) func nothingStartsFromMemoryWhileTheLeaseIsInDoubt(_ isStillOurs: Bool) {
    var scene = MachineScene([.of("f", batch: 1)])
    scene.poll(.new(3, key: "k"), .new(4, key: "k"))
    #expect(scene.starts == [3])
    scene.pass(.seconds(20))
    if !isStillOurs { scene.holding.lease = [:] }

    scene.end(3)
    #expect(scene.starts == [3])
    scene.untilPoll(steps: 5)

    #expect(scene.starts == (isStillOurs ? [3, 4] : [3]))
  }

  @Test func aPartitionThatIsLostAndTakenAgainIsANewOne() {
    var scene = MachineScene()
    scene.poll(.new(5))
    scene.holding.lease[0] = 2

    scene.machine.lookForPartitions()
    scene.untilPoll()
    scene.end(5)

    #expect(scene.request?.cursors == [0: PartitionCursor()])
    #expect(scene.toSettle.isEmpty, "the other runner may have begun it")
  }

  @Test func whatWasReadOfAPartitionThatWasLostMeanwhileIsNotTaken() {
    var scene = MachineScene(partitions: [0, 1])
    scene.poll()
    scene.untilPoll()
    scene.holding.lease[1] = nil
    scene.machine.take(scene.holding, since: scene.now)

    scene.answer([.new(1), .new(5, partition: 1)])

    #expect(scene.starts == [1])
  }

  @Test func anUnansweredSettlementIsNotRepeatedForALostPartition() {
    var scene = MachineScene(partitions: [0, 1])
    scene.poll(.new(1), .new(5, partition: 1))
    scene.end(1)
    scene.end(5)
    scene.untilPoll()
    scene.holding.lease[1] = nil
    scene.machine.take(scene.holding, since: scene.now)

    scene.fail(.fenced)

    #expect(scene.toSettle == [1])
  }

  @Test func aPartitionBeyondTheShareIsGivenBackWhenItIsIdle() {
    var scene = MachineScene(partitions: [0, 1])
    scene.poll(.new(1), .new(5, partition: 1), .new(6, key: "k", partition: 1), .new(7, key: "k", partition: 1))
    scene.holding.share = 1
    scene.machine.lookForPartitions()
    scene.untilPoll()
    #expect(scene.request.map { Array($0.cursors.keys) } == [0], "nothing more is read of it")
    scene.end(6)
    scene.end(5)
    #expect(scene.starts == [1, 5, 6], "and nothing more started")
    scene.answer()
    var partitions = scene.machine.releasable()
    #expect(partitions == nil)
    scene.untilPoll()
    partitions = scene.machine.releasable()
    #expect(partitions == nil, "the ends are on their way")
    scene.answer()

    partitions = scene.machine.releasable()
    #expect(partitions == [1])
    scene.untilPoll()
    #expect(scene.machine.partitions == [0])
  }

  @Test func anExpiredLeaseReadsNothingAndStillSettles() {
    var scene = MachineScene()
    scene.poll(.new(1))
    scene.end(1)
    scene.pass(.seconds(20))

    let request = scene.machine.poll(scene.now)

    #expect(request?.cursors.isEmpty == true && request?.ended.count == 1)
    #expect(!scene.machine.isReady(at: scene.now))
  }

  @Test func anAnswerThatComesAfterTheLeaseHasRunOutIsNotTaken() {
    var scene = MachineScene()
    scene.untilPoll()
    scene.pass(.seconds(20))

    scene.answer([.new(1)])

    #expect(scene.starts.isEmpty)
    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.last == 0)
  }

  @Test func moreFunctionsReadEverythingAgainAndWhatIsOnItsWayIsNotTaken() {
    var scene = MachineScene()
    scene.poll(.new(1), .new(2, "g"))
    scene.untilPoll()

    scene.machine.use(.init([.of("f"), .of("g")]), now: scene.now)
    scene.answer([.new(3)])
    #expect(scene.starts == [1])
    scene.untilPoll()
    #expect(scene.request?.cursors == [0: PartitionCursor()])
    scene.answer([.new(1), .new(2, "g"), .new(3)])

    #expect(scene.starts.sorted() == [1, 2, 3], "what runs is not started again")
  }

  @Test func whatWaitsForAFunctionThatIsGoneKeepsWaiting() {
    var scene = MachineScene([.of("f"), .of("g")])
    scene.poll(.new(1))

    scene.machine.use(.init([.of("g")]), now: scene.now)
    scene.end(1, .exited(1, output: nil))

    #expect(scene.machine.ended.count == 1)
    if case .retry? = scene.machine.ended.first?.settlement {} else { #expect(Bool(false), "it is no dead letter") }
    scene.untilPoll()
    #expect(scene.request?.retried == ["g"])
  }

  @Test func theSameFunctionsGoOnFromWhereTheyAre() {
    var scene = MachineScene()
    scene.poll(.new(4))

    scene.machine.use(.init([.of("f")]), now: scene.now)
    scene.untilPoll()

    #expect(scene.request?.cursors[0]?.last == 4)
  }

  @Test func eventsOfFunctionsThatOtherRunnersHaveArePassedBy() {
    var scene = MachineScene()
    scene.holding.elsewhere = ["g"]
    scene.untilPoll()

    #expect(scene.request?.own == ["f"])
    scene.answer([.new(1, "g", hasBody: false)])

    let notices = scene.effects(where: { if case .unknownFunction = $0 { true } else { false } })
    #expect(notices.isEmpty)
  }
}
