/// The events of one function that were read and not yet started: in order for each key, side by side across keys.
struct FunctionLine {
  private var ready: [QueuedEvent] = []
  private var head = 0
  private var behind: [String: [QueuedEvent]] = [:]
  private var busy: Set<String> = []
  private(set) var running = 0

  /// Whether a misconfigured function's events wait until it has been mended.
  var isPaused = false

  /// How many were read and have not ended.
  var count: Int { ready.count - head + behind.values.reduce(0) { $0 + $1.count } + running }

  mutating func append(_ event: QueuedEvent) {
    guard let key = event.key else { return ready.append(event) }
    if busy.insert(key).inserted { ready.append(event) } else { behind[key, default: []].append(event) }
  }

  /// The next event that may start while fewer than `limit` run.
  mutating func next(limit: Int) -> QueuedEvent? {
    guard !isPaused, running < limit, head < ready.count else { return nil }
    let event = ready[head]
    head += 1
    if head == ready.count { (ready, head) = ([], 0) }
    running += 1
    return event
  }

  /// Takes note that an event has ended: the next of its key may start.
  mutating func ended(_ event: QueuedEvent) {
    running -= 1
    guard let key = event.key else { return }
    guard var waiting = behind.removeValue(forKey: key) else {
      busy.remove(key)
      return
    }
    ready.append(waiting.removeFirst())
    if !waiting.isEmpty { behind[key] = waiting }
  }

  /// Puts an event back to the front, as if it had not been started.
  mutating func putBack(_ event: QueuedEvent) {
    running -= 1
    ready.insert(event, at: head)
  }
}
