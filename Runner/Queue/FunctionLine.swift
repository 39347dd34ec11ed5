/// The events of one function that were read and have not ended: in order for each key, side by side across keys.
///
/// Of a long line only the beginning is in memory; of the rest it is known which ids there are. So a function that is
/// slow, or a key that is held, stops nobody else.
struct FunctionLine {
  /// The most events in memory, and their most bytes; further ones stay in the database.
  var most = 10_000
  var mostBytes = 16 << 20

  /// Whether a failed event holds its key.
  var blocks = false
  /// Whether a misconfigured function's events wait until it has been mended.
  var isPaused = false
  /// Whether anything can run them at all.
  var isKnown = true
  private var ready: [QueuedEvent] = []
  private var head = 0
  private var keys: [String: KeyLine] = [:]
  /// Keys with events that were left in the database.
  private var left: Set<String> = []
  /// By lanes.
  private(set) var unread: [Int: Unread] = [:]
  private(set) var running = 0
  /// How many are in memory and have not ended.
  private(set) var count = 0
  private var bytes = 0

  /// Whether there is no room for more.
  var isFull: Bool { !isKnown || count >= most || bytes >= mostBytes }

  /// Whether so little is in memory that more should be read.
  var isHungry: Bool { isKnown && count < most / 2 && bytes < mostBytes / 2 }

  /// Whether nothing runs, and nothing that is known could: what a held key holds does not count.
  var isIdle: Bool {
    let isDone = head == ready.count && unread.isEmpty && !left.contains { keys[$0]?.isHungry == true }
    return running == 0 && (isPaused || !isKnown || isDone)
  }

  /// Takes an event that was read in the order of its lane, or leaves it to the database while there is no room.
  ///
  /// - Parameter isLate: whether its id is lower than others of its lane that have been read.
  mutating func arrive(_ event: QueuedEvent, isLate: Bool) {
    if leaves(event.place) { return }
    if isFull, !isLate { return skip(event.place) }
    load(event, isLate: isLate)
  }

  /// Takes note of an event whose body was not read.
  mutating func skip(_ place: QueuedEvent.Place) {
    if leaves(place) { return }
    unread[place.lane] = Unread(after: place.id - 1, through: place.id)
  }

  /// Takes an event that had been left, or one that is tried again.
  mutating func load(_ event: QueuedEvent, isLate: Bool = false) {
    guard let name = event.key else { return admit(event) }
    var key = keys[name] ?? KeyLine(lane: event.place.lane)
    if key.take(event, isLate: isLate) {
      (count, bytes) = (count + 1, bytes + event.line.count)
      promote(&key)
    }
    keep(key, name)
  }

  /// Takes events of one key that had been left.
  mutating func load(key name: String, _ events: [QueuedEvent], through id: Int64) {
    guard var key = keys[name] else { return }
    key.read(through: id)
    keep(key, name)
    for event in events { load(event, isLate: true) }
  }

  /// Everything of the lane up to that id has been read now.
  mutating func read(lane: Int, through id: Int64) {
    unread[lane]?.after = id
    if unread[lane]?.isEmpty == true { unread[lane] = nil }
  }

  /// Keys whose events must be read before they can go on.
  func hungryKeys(_ most: Int) -> [(key: String, lane: Int, unread: Unread)] {
    guard !isFull else { return [] }
    var hungry: [(String, Int, Unread)] = []
    for name in left {
      guard let key = keys[name], key.isHungry, let unread = key.unread else { continue }
      hungry.append((name, key.lane, unread))
      if hungry.count == most { break }
    }
    return hungry
  }

  /// The next event that may start while fewer than `limit` run.
  mutating func next(limit: Int) -> QueuedEvent? {
    guard !isPaused, running < limit, head < ready.count else { return nil }
    let event = ready[head]
    head += 1
    if head == ready.count {
      ready.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024, head * 2 > ready.count {
      ready.removeFirst(head)
      head = 0
    }
    running += 1
    return event
  }

  /// Takes note that an event has ended: the next of its key may start, unless it holds the key.
  ///
  /// - Parameter isForeign: whether its lane has been another runner's since it started.
  mutating func ended(_ event: QueuedEvent, holds: Bool = false, isForeign: Bool = false) {
    (running, count, bytes) = (running - 1, count - 1, bytes - event.line.count)
    guard let name = event.key, var key = keys[name] else { return }
    key.isBusy = false
    if holds, blocks, !isForeign {
      key.blockers.insert(event.place.id)
      drop(key.park())
    } else if !isForeign {
      key.blockers.remove(event.place.id)
    }
    promote(&key)
    keep(key, name)
  }

  /// Puts an event back to the front, as if it had not been started.
  mutating func putBack(_ event: QueuedEvent) {
    running -= 1
    ready.insert(event, at: head)
  }

  /// Sets which failed events hold their keys, of the lanes given; those that are not settled yet stay as they are.
  mutating func hold(
    _ blockers: [String: (lane: Int, ids: Set<Int64>)], unsettled: [Int: Set<Int64>], lanes: Set<Int>
  ) {
    for (name, held) in blockers where keys[name] == nil { keys[name] = KeyLine(lane: held.lane) }
    for (name, var key) in keys where lanes.contains(key.lane) {
      let ids = blocks ? (blockers[name]?.ids ?? []).union(key.blockers.intersection(unsettled[key.lane] ?? [])) : []
      guard key.blockers != ids else { continue }
      key.blockers = ids
      promote(&key)
      keep(key, name)
    }
  }

  /// Forgets what has not started of these lanes, and returns it; what runs still holds its key.
  mutating func forget(lanes: Set<Int>) -> [QueuedEvent] {
    var gone = Array(ready[head...].filter { lanes.contains($0.place.lane) })
    ready = ready[head...].filter { !lanes.contains($0.place.lane) }
    head = 0
    for name in gone.compactMap(\.key) { keys[name]?.isBusy = false }
    for (name, key) in keys where lanes.contains(key.lane) {
      gone += key.behind
      var running = KeyLine(lane: key.lane)
      running.isBusy = key.isBusy
      keep(running, name)
    }
    for lane in lanes { unread[lane] = nil }
    drop(gone)
    return gone
  }

  /// The places of the events in memory that have not been started.
  var places: [QueuedEvent.Place] { ready[head...].map(\.place) + keys.values.flatMap { $0.behind.map(\.place) } }

  /// Whether the event was left to the database, to be read when there is room or its key is free.
  func leaves(_ place: QueuedEvent.Place, key name: String?) -> Bool {
    let left = [unread[place.lane], name.flatMap { keys[$0]?.unread }]
    return left.contains { $0.map { place.id > $0.after && place.id <= $0.through } ?? false }
  }

  private mutating func leaves(_ place: QueuedEvent.Place) -> Bool {
    guard let left = unread[place.lane], place.id > left.after else { return false }
    unread[place.lane]?.through = max(left.through, place.id)
    return true
  }

  private mutating func admit(_ event: QueuedEvent) {
    (count, bytes) = (count + 1, bytes + event.line.count)
    ready.append(event)
  }

  private mutating func keep(_ key: KeyLine, _ name: String) {
    keys[name] = key.isEmpty ? nil : key
    if key.unread != nil { left.insert(name) } else if !left.isEmpty { left.remove(name) }
  }

  private mutating func promote(_ key: inout KeyLine) {
    if let event = key.next() { ready.append(event) }
  }

  private mutating func drop(_ events: [QueuedEvent]) {
    count -= events.count
    bytes -= events.reduce(0) { $0 + $1.line.count }
  }
}
