import TestSupport

@testable import Queue

/// The tables of the queue and one function's queue, with chance in the place of writers, the network and the function.
///
/// It reads as `EventStore` and `QueueMachine` do: new events in the order of their partition, events that have come into
/// holes, and events that had been left for want of room.
struct QueueModel {
  /// An event in the order in which its transaction began.
  struct Written: Equatable {
    var partition: Int
    var id: Int64
    var key: String
    var transaction: Int64
    /// How many transactions had ended when this one began: those of its key that were among them come first.
    var after: Int
  }

  private var random: SplitMix
  private var queue = FunctionQueue()
  private var cursors = [PartitionCursor(), PartitionCursor()]
  private var nextID: [Int64] = [100, 500]
  private var nextTransaction: Int64 = 1
  private var open: [Written] = []
  /// Rows that can be seen: waiting ones by their ids.
  private var table: [Int: Set<Int64>] = [0: [], 1: []]
  private var running: [QueuedEvent] = []
  private var failed: [QueuedEvent] = []
  private var keys: [Int64: String] = [:]
  /// In the order of their commits.
  private(set) var committed: [Written] = []
  /// The places of events in the order in which they were started; a repeated one appears again.
  private(set) var started: [QueuedEvent.Place] = []
  /// How many had been started when each event ended for good.
  private(set) var endedAt: [Int64: Int] = [:]
  /// The most events of one key that ran together.
  private(set) var mostTogether = 0

  init(seed: UInt64, most: Int, blocks: Bool, together: Int = 1) {
    random = SplitMix(seed: seed)
    queue.most = most
    queue.blocks = blocks
    queue.together = together
  }

  /// Lets chance choose `steps` times, then lets everything come to its end.
  mutating func run(steps: Int) {
    for _ in 0..<steps {
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: begin()
      case 3...4: endATransaction(commits: Int.random(in: 0..<6, using: &random) > 0)
      case 5: read()
      default: work(fails: Int.random(in: 0..<8, using: &random) == 0)
      }
    }
    while !open.isEmpty { endATransaction(commits: true) }
    for _ in 0..<(committed.count * 4 + 100) {
      read()
      work(fails: false)
    }
  }

  private mutating func begin() {
    let number = Int.random(in: 0..<6, using: &random)
    let partition = number % 2
    open.append(
      Written(
        partition: partition, id: nextID[partition], key: "k\(number)", transaction: nextTransaction,
        after: committed.count))
    nextID[partition] += 1
    nextTransaction += 1
  }

  private mutating func endATransaction(commits: Bool) {
    guard !open.isEmpty else { return }
    let ended = open.remove(at: Int.random(in: 0..<open.count, using: &random))
    guard commits else { return }
    table[ended.partition]?.insert(ended.id)
    committed.append(ended)
    keys[ended.id] = ended.key
  }

  private mutating func read() {
    let isSkipped = queue.isFull || !queue.backlog.isEmpty
    let left = queue.isHungry ? queue.backlog : [:]
    let hungry = queue.isHungry ? queue.hungryKeys(2) : []
    let readsNew = left.isEmpty || cursors.contains { !$0.holes.isEmpty } || Bool.random(using: &random)
    for partition in 0...1 where readsNew {
      let rows = (table[partition] ?? []).sorted()
      let new = Array(rows.filter { $0 > cursors[partition].last }.prefix(10))
      let late = rows.filter { id in
        id <= cursors[partition].last && cursors[partition].holes.contains { $0.ids.contains(id) }
      }
      let allocators = open.filter { $0.partition == partition }.map(\.transaction)
      let own = Bool.random(using: &random) ? nextTransaction : nil
      if own != nil { nextTransaction += 1 }
      cursors[partition].saw(
        new + late,
        .init(
          own: own, xmin: open.map(\.transaction).min() ?? nextTransaction,
          oldestAllocator: Bool.random(using: &random) ? allocators.min() ?? .max : nil))
      for id in late { queue.arrive(event(partition, id), isLate: true) }
      for id in new {
        if isSkipped {
          queue.skip(event(partition, id).place)
        } else {
          queue.arrive(event(partition, id), isLate: false)
        }
      }
    }
    for (partition, backlog) in left { readLeft(partition, backlog) }
    for key in hungry { readLeft(key.partition, key.backlog, key: key.key) }
    for event in failed.filter({ _ in Bool.random(using: &random) }) {
      failed.removeAll { $0.place == event.place }
      queue.load(event)
    }
    start()
  }

  private mutating func readLeft(_ partition: Int, _ backlog: Backlog, key: String? = nil) {
    let rows = (table[partition] ?? []).sorted().filter { $0 > backlog.after && $0 <= backlog.through }
      .filter { key == nil || event(partition, $0).key == key }
    let taken = rows.prefix(3)
    let through = taken.count == 3 ? taken.last ?? backlog.through : backlog.through
    if let key {
      guard queue.read(key: key, through: through) else { return }
      for id in taken { queue.load(event(partition, id), isLate: true) }
    } else {
      queue.read(partition: partition, through: through)
      for id in taken { queue.load(event(partition, id)) }
    }
  }

  private mutating func start() {
    while let event = queue.next(limit: 4) {
      running.append(event)
      mostTogether = max(mostTogether, running.count { $0.key == event.key })
      started.append(event.place)
    }
  }

  private mutating func work(fails: Bool) {
    guard !running.isEmpty else { return start() }
    var event = running.remove(at: Int.random(in: 0..<running.count, using: &random))
    table[event.place.partition]?.remove(event.place.id)
    queue.ended(event, holds: fails)
    if fails {
      event.place.table = .retries
      failed.append(event)
    } else {
      endedAt[event.place.id] = started.count
    }
    start()
  }

  private func event(_ partition: Int, _ id: Int64) -> QueuedEvent {
    QueuedEvent(
      place: .init(partition: partition, id: id, table: .events), function: "f",
      key: keys[id], eventID: "\(id)", line: [0x0A])
  }
}
