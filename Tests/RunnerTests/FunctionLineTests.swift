import Testing

@testable import Runner

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
}
