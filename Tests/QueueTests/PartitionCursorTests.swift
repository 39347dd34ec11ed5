import Testing

@testable import Queue

struct PartitionCursorTests {
  private func horizon(own: Int64? = nil, xmin: Int64, oldestAllocator: Int64? = nil) -> PartitionCursor.Horizon {
    PartitionCursor.Horizon(own: own, xmin: xmin, oldestAllocator: oldestAllocator)
  }

  /// A cursor with the holes 1 and 3, seen when the snapshot knew of no running transaction.
  private func withHoles() -> PartitionCursor {
    var cursor = PartitionCursor()
    cursor.saw([2, 4], horizon(xmin: 20))
    return cursor
  }

  @Test func remembersWhatIsMissingBelowTheHighestIDWhateverTheSnapshotSays() {
    var cursor = PartitionCursor()

    cursor.saw([2, 5], horizon(own: 20, xmin: 20, oldestAllocator: .max))

    #expect(cursor.last == 5)
    #expect(cursor.holes == [.init(ids: 1...1), .init(ids: 3...4)])
    #expect(cursor.needsNumber)
  }

  @Test func aHoleClosesWhenEveryTransactionBelowANumberAssignedAfterItHasEnded() {
    var cursor = withHoles()

    cursor.saw([], horizon(xmin: 99))
    #expect(cursor.holes.map(\.ids) == [1...1, 3...3], "no number has been assigned since")
    cursor.saw([], horizon(own: 30, xmin: 29))
    #expect(cursor.holes.map(\.bound) == [30, 30])
    #expect(!cursor.needsNumber)
    cursor.saw([], horizon(own: 40, xmin: 29))
    #expect(cursor.holes.map(\.bound) == [30, 30])
    cursor.saw([], horizon(xmin: 30))

    #expect(cursor.holes.isEmpty)
    #expect(cursor.last == 4)
  }

  @Test func aHoleMayCloseInTheTurnThatHasTheNumber() {
    var cursor = withHoles()

    cursor.saw([], horizon(own: 30, xmin: 30))

    #expect(cursor.holes.isEmpty)
  }

  @Test func aHoleDoesNotWaitForATransactionThatHasDrawnNothingInThePartition() {
    var cursor = withHoles()

    cursor.saw([6], horizon(own: 21, xmin: 10, oldestAllocator: 20))
    #expect(cursor.holes.map(\.ids) == [1...1, 3...3, 5...5])
    cursor.saw([], horizon(own: 22, xmin: 10, oldestAllocator: 21))

    #expect(cursor.holes == [.init(ids: 5...5, bound: 22)])
  }

  @Test func holesCloseIfNobodyHasDrawnButNotThoseThatTheReadingFound() {
    var cursor = withHoles()

    cursor.saw([6], horizon(xmin: 10, oldestAllocator: .max))

    #expect(cursor.holes == [.init(ids: 5...5)])
  }

  @Test func nothingClosesInATurnThatDidNotLook() {
    var cursor = withHoles()

    cursor.saw([], readsHoles: false, horizon(own: 30, xmin: 30, oldestAllocator: .max))

    #expect(cursor.holes == [.init(ids: 1...1, bound: 30), .init(ids: 3...3, bound: 30)])
  }

  @Test func whatWasLeftInAHoleStaysOne() {
    var cursor = PartitionCursor()
    cursor.saw([10], horizon(xmin: 20))

    cursor.saw([2], left: [4...4, 8...20], horizon(own: 30, xmin: 30))

    #expect(cursor.holes.map(\.ids) == [4...4, 8...9])
  }

  @Test func aLateIDSplitsItsHole() {
    var cursor = PartitionCursor()
    cursor.saw([6], horizon(xmin: 10))

    cursor.saw([3], horizon(own: 20, xmin: 11))

    #expect(cursor.holes == [.init(ids: 1...2, bound: 20), .init(ids: 4...5, bound: 20)])
  }

  @Test func aLateIDAtAnEdgeShrinksItsHole() {
    var cursor = PartitionCursor()
    cursor.saw([4], horizon(xmin: 10))

    cursor.saw([1, 3], horizon(xmin: 11))

    #expect(cursor.holes.map(\.ids) == [2...2])
  }

  @Test func anIDThatWasPassedByIsReadAgain() {
    var cursor = PartitionCursor()
    cursor.saw([1, 2, 3], horizon(xmin: 10))

    cursor.miss(2)
    cursor.miss(2)
    cursor.miss(4)

    #expect(cursor.holes == [.init(ids: 2...2)])
  }

  @Test(
    arguments: [
      ([2, 3], 3), ([2], nil), ([1, 2, 3], 3), ([11, 12, 13], 13), ([7], nil), ([4, 5], nil), ([2, 3, 12, 13], 3),
    ] as [([Int64], Int64?)])
  func aReadingEndsInTheFirstHoleOfWhichItLeavesSome(_ late: [Int64], _ end: Int64?) {
    var cursor = PartitionCursor()
    cursor.saw([6, 8, 10, 15], horizon(xmin: 10))
    #expect(cursor.holes.map(\.ids) == [1...5, 7...7, 9...9, 11...14])

    #expect(cursor.end(ofReading: late, most: 2) == end)
  }
}
