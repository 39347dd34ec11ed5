import Notifications

/// Pushes that wait, in the order of arrival.
///
/// Pushes that come back go first.
struct PushQueue {
  /// One push of a batch.
  struct Entry {
    let batch: APNsBatch
    let index: Int

    var push: QueuedPush { batch.courses.pushes[index] }

    /// Whether it was neither sent nor given back.
    var isWaiting: Bool { batch.courses.isWaiting(index) }
  }

  private var entries: [Entry] = []
  private var head = 0
  private var returned: [Entry] = []
  /// Pushes that wait until another one has tried.
  private var parked: [Entry] = []

  /// How many wait for a connection.
  var count: Int { entries.count - head + returned.count }

  var first: Entry? { returned.last ?? (head < entries.count ? entries[head] : nil) }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  mutating func putBack(_ entry: Entry) { returned.append(entry) }

  mutating func removeFirst() {
    if returned.popLast() != nil { return }
    head += 1
    if head == entries.count {
      entries.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024, head > entries.count / 2 {
      entries.removeFirst(head)
      head = 0
    }
  }

  /// Lets a push wait until another one has tried.
  mutating func park(_ entry: Entry) { parked.append(entry) }

  /// Takes pushes whose wait is over; returns whether there were any.
  @discardableResult
  mutating func unpark() -> Bool {
    defer { parked = [] }
    for entry in parked.reversed() { putBack(entry) }
    return !parked.isEmpty
  }
}
