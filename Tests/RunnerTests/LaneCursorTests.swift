import TestSupport
import Testing

@testable import Runner

struct LaneCursorTests {
  @Test func remembersWhatIsMissingBelowTheHighestID() {
    var cursor = LaneCursor()

    cursor.saw([2, 5], xmin: 10, xmax: 20)

    #expect(cursor.last == 5)
    #expect(cursor.holes.map(\.ids) == [1...1, 3...4])
  }

  @Test func forgetsAHoleOnlyWhenEveryWriterOfItsTimeHasEnded() {
    var cursor = LaneCursor()
    cursor.saw([2], xmin: 10, xmax: 20)

    cursor.saw([], xmin: 19, xmax: 30)
    #expect(cursor.holes.map(\.ids) == [1...1])
    cursor.saw([], xmin: 20, xmax: 30)

    #expect(cursor.holes.isEmpty)
    #expect(cursor.last == 2)
  }

  @Test func aHoleDoesNotWaitForATransactionThatHasDrawnNothingInTheLane() {
    var cursor = LaneCursor()
    cursor.saw([2], xmin: 10, xmax: 20)

    cursor.saw([4], xmin: 10, xmax: 21, oldestDrawer: .max)
    #expect(cursor.holes.map(\.ids) == [3...3], "only what this reading has found itself is not known yet")
    cursor.saw([], xmin: 10, xmax: 22, oldestDrawer: 20)
    #expect(cursor.holes.map(\.ids) == [3...3])
    cursor.saw([], xmin: 10, xmax: 22, oldestDrawer: 21)

    #expect(cursor.holes.isEmpty)
  }

  @Test func aLateIDSplitsItsHole() {
    var cursor = LaneCursor()
    cursor.saw([6], xmin: 10, xmax: 20)

    cursor.saw([3], xmin: 11, xmax: 21)

    #expect(cursor.holes.map(\.ids) == [1...2, 4...5])
    #expect(cursor.holes.allSatisfy { $0.seenAt == 20 })
  }

  @Test func aLateIDAtAnEdgeShrinksItsHole() {
    var cursor = LaneCursor()
    cursor.saw([4], xmin: 10, xmax: 20)

    cursor.saw([1, 3], xmin: 11, xmax: 21)

    #expect(cursor.holes.map(\.ids) == [2...2])
  }

  /// Writers draw ids in order and commit or roll back in any order; a reader looks in between.
  ///
  /// Nothing is missed.
  @Test(arguments: 0..<200)
  func noCommittedIDIsMissedHoweverWritersInterleave(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    var cursor = LaneCursor()
    var nextTransaction: Int64 = 1
    var nextID: Int64 = 1
    var running: [(transaction: Int64, id: Int64)] = []
    var visible: Set<Int64> = []
    var read: [Int64] = []

    for step in 0..<400 {
      switch step < 380 ? random.next() % 4 : 2 {
      case 0:
        running.append((nextTransaction, nextID))
        nextTransaction += 1
        nextID += 1
      case 1 where !running.isEmpty:
        let ended = running.remove(at: Int(random.next() % UInt64(running.count)))
        if random.next() % 5 > 0 { visible.insert(ended.id) }
      default:
        if step >= 380 {
          visible.formUnion(running.map(\.id))
          running = []
        }
        let found = visible.filter { id in id > cursor.last || cursor.holes.contains { $0.ids.contains(id) } }
        read += found
        cursor.saw(
          Array(found), xmin: running.map(\.transaction).min() ?? nextTransaction, xmax: nextTransaction)
      }
    }

    #expect(read.sorted() == visible.sorted())
    #expect(cursor.holes.isEmpty)
  }
}
