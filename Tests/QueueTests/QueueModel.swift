import TestSupport

@testable import Queue

/// The tables of the queue and one function's queue, with chance in the place of writers, the network and the function.
///
/// It reads as `EventStore` and `EventEngine` do: new events in the order of their lane, events that have come into
/// holes, and events that had been left for want of room.
struct QueueModel {
  /// An event in the order in which its transaction began.
  struct Written: Equatable {
    var lane: Int
    var id: Int64
    var key: String
    var transaction: Int64
    /// How many transactions had ended when this one began: those of its key that were among them come first.
    var after: Int
  }

  private var random: SplitMix
  private var line = FunctionLine()
  private var cursors = [LaneCursor(), LaneCursor()]
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

  init(seed: UInt64, most: Int, blocks: Bool) {
    random = SplitMix(seed: seed)
    line.most = most
    line.blocks = blocks
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
    let lane = number % 2
    open.append(
      Written(
        lane: lane, id: nextID[lane], key: "k\(number)", transaction: nextTransaction, after: committed.count))
    nextID[lane] += 1
    nextTransaction += 1
  }

  private mutating func endATransaction(commits: Bool) {
    guard !open.isEmpty else { return }
    let ended = open.remove(at: Int.random(in: 0..<open.count, using: &random))
    guard commits else { return }
    table[ended.lane]?.insert(ended.id)
    committed.append(ended)
    keys[ended.id] = ended.key
  }

  private mutating func read() {
    let isSkipped = line.isFull || !line.unread.isEmpty
    let left = line.isHungry ? line.unread : [:]
    let hungry = line.isHungry ? line.hungryKeys(2) : []
    let readsNew = left.isEmpty || cursors.contains { !$0.holes.isEmpty } || Bool.random(using: &random)
    for lane in 0...1 where readsNew {
      let rows = (table[lane] ?? []).sorted()
      let new = Array(rows.filter { $0 > cursors[lane].last }.prefix(10))
      let late = rows.filter { id in id <= cursors[lane].last && cursors[lane].holes.contains { $0.ids.contains(id) } }
      let drawers = open.filter { $0.lane == lane }.map(\.transaction)
      let own = Bool.random(using: &random) ? nextTransaction : nil
      if own != nil { nextTransaction += 1 }
      cursors[lane].saw(
        new + late,
        .init(
          own: own, xmin: open.map(\.transaction).min() ?? nextTransaction,
          oldestDrawer: Bool.random(using: &random) ? drawers.min() ?? .max : nil))
      for id in late { line.arrive(event(lane, id), isLate: true) }
      for id in new {
        if isSkipped { line.skip(event(lane, id).place) } else { line.arrive(event(lane, id), isLate: false) }
      }
    }
    for (lane, unread) in left { readLeft(lane, unread) }
    for key in hungry { readLeft(key.lane, key.unread, key: key.key) }
    for event in failed.filter({ _ in Bool.random(using: &random) }) {
      failed.removeAll { $0.place == event.place }
      line.load(event)
    }
    start()
  }

  private mutating func readLeft(_ lane: Int, _ unread: Unread, key: String? = nil) {
    let rows = (table[lane] ?? []).sorted().filter { $0 > unread.after && $0 <= unread.through }
      .filter { key == nil || event(lane, $0).key == key }
    let taken = rows.prefix(3)
    let through = taken.count == 3 ? taken.last ?? unread.through : unread.through
    if let key {
      line.load(key: key, taken.map { event(lane, $0) }, through: through)
    } else {
      line.read(lane: lane, through: through)
      for id in taken { line.load(event(lane, id)) }
    }
  }

  private mutating func start() {
    while let event = line.next(limit: 4) {
      running.append(event)
      started.append(event.place)
    }
  }

  private mutating func work(fails: Bool) {
    guard !running.isEmpty else { return start() }
    var event = running.remove(at: Int.random(in: 0..<running.count, using: &random))
    table[event.place.lane]?.remove(event.place.id)
    line.ended(event, holds: fails)
    if fails {
      event.place.table = .retries
      failed.append(event)
    } else {
      endedAt[event.place.id] = started.count
    }
    start()
  }

  private func event(_ lane: Int, _ id: Int64) -> QueuedEvent {
    QueuedEvent(
      place: .init(lane: lane, id: id, table: .events), function: "f",
      key: keys[id], eventID: "\(id)", line: [0x0A])
  }
}
