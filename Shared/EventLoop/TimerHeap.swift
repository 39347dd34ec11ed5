/// A scheduled call that can still be cancelled.
package struct TimerID: Sendable, Hashable {
  let slot: Int
  let generation: UInt32
}

/// Timers in the order of their deadlines; equal deadlines keep the order in which they were added.
///
/// This is a binary heap, and every entry knows its place. So to cancel a timer costs O(log n) and leaves nothing
/// behind: a server cancels nearly every timer that it sets.
struct TimerHeap {
  private struct Entry {
    let deadline: UInt64
    let sequence: UInt64
    let slot: Int

    func precedes(_ other: Entry) -> Bool {
      deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
    }
  }

  private struct Slot {
    var generation: UInt32
    var position: Int
    var body: (() -> Void)?
  }

  private var heap: [Entry] = []
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var nextSequence: UInt64 = 0

  var count: Int { heap.count }

  /// In nanoseconds of the clock that the deadlines use.
  var earliestDeadline: UInt64? { heap.first?.deadline }

  mutating func add(deadline: UInt64, _ body: @escaping () -> Void) -> TimerID {
    let slot = freeSlots.popLast() ?? appendSlot()
    slots[slot].body = body
    heap.append(Entry(deadline: deadline, sequence: nextSequence, slot: slot))
    nextSequence += 1
    siftUp(heap.count - 1)
    return TimerID(slot: slot, generation: slots[slot].generation)
  }

  /// Forgets a timer.
  ///
  /// Does nothing for one that has fired or was cancelled before.
  mutating func cancel(_ id: TimerID) {
    guard slots[id.slot].generation == id.generation, slots[id.slot].body != nil else { return }
    _ = remove(at: slots[id.slot].position)
  }

  mutating func popDue(at now: UInt64) -> (() -> Void)? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    return remove(at: 0)
  }

  private mutating func appendSlot() -> Int {
    slots.append(Slot(generation: 0, position: 0, body: nil))
    return slots.count - 1
  }

  private mutating func remove(at position: Int) -> (() -> Void)? {
    let entry = heap[position]
    let last = heap.removeLast()
    if position < heap.count {
      place(last, at: position)
      siftDown(position)
      siftUp(position)
    }
    slots[entry.slot].generation &+= 1
    freeSlots.append(entry.slot)
    return slots[entry.slot].body.take()
  }

  private mutating func place(_ entry: Entry, at position: Int) {
    heap[position] = entry
    slots[entry.slot].position = position
  }

  private mutating func siftUp(_ start: Int) {
    let entry = heap[start]
    var position = start
    while position > 0, entry.precedes(heap[(position - 1) / 2]) {
      place(heap[(position - 1) / 2], at: position)
      position = (position - 1) / 2
    }
    place(entry, at: position)
  }

  private mutating func siftDown(_ start: Int) {
    let entry = heap[start]
    var position = start
    while true {
      var child = 2 * position + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
      guard heap[child].precedes(entry) else { break }
      place(heap[child], at: position)
      position = child
    }
    place(entry, at: position)
  }
}
