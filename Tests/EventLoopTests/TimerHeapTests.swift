import TestSupport
import Testing

@testable import EventLoop

struct TimerHeapTests {
  @Test func timersComeDueInTheOrderOfTheirDeadlines() {
    var heap = TimerHeap()
    let fired = Recorder<UInt64>()
    for deadline in [5, 3, 9, 1, 7, 3, 8, 2] as [UInt64] { _ = heap.add(deadline: deadline) { fired.add(deadline) } }

    while let body = heap.popDue(at: 8) { body() }

    #expect(fired.values == [1, 2, 3, 3, 5, 7, 8])
    #expect(heap.earliestDeadline == 9)
  }

  @Test func equalDeadlinesKeepTheirOrder() {
    var heap = TimerHeap()
    let fired = Recorder<Int>()
    for number in 0..<50 { _ = heap.add(deadline: 4) { fired.add(number) } }

    while let body = heap.popDue(at: 4) { body() }

    #expect(fired.values == Array(0..<50))
  }

  @Test(arguments: [Seed()]) func aCancelledTimerLeavesTheHeapAtOnce(_ seed: Seed) {
    var choices = seed.choices
    var heap = TimerHeap()
    let timers = (0..<100).map { number in heap.add(deadline: UInt64(number * 37 % 101)) {} }

    for timer in timers.shuffled(using: &choices).prefix(99) { heap.cancel(timer) }

    #expect(heap.count == 1)
  }

  @Test(arguments: [Seed()]) func cancellingAtRandomKeepsTheOrderOfTheRest(_ seed: Seed) {
    var choices = seed.choices
    var heap = TimerHeap()
    let fired = Recorder<UInt64>()
    let deadlines = (0..<500).map { _ in UInt64.random(in: 0..<1_000, using: &choices) }
    let timers = deadlines.map { deadline in heap.add(deadline: deadline) { fired.add(deadline) } }
    let cancelled = (0..<500).filter { _ in Bool.random(using: &choices) }
    for index in cancelled.shuffled(using: &choices) { heap.cancel(timers[index]) }

    while let body = heap.popDue(at: 1_000) { body() }

    #expect(fired.values == deadlines.indices.filter { !cancelled.contains($0) }.map { deadlines[$0] }.sorted())
  }

  @Test func anOldIdentifierDoesNotCancelTheTimerThatReusesItsPlace() {
    var heap = TimerHeap()
    let old = heap.add(deadline: 1) {}
    heap.cancel(old)
    _ = heap.add(deadline: 2) {}

    heap.cancel(old)

    #expect(heap.count == 1)
  }
}
