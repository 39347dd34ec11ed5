import EventLoop
import FunctionKit
import Postgres

/// Carries the queue's events to their functions: reads, starts, settles, and begins again.
///
/// All state is in memory or in the rows themselves: after a crash, what was not settled is read again under the same
/// event id, and a function's effect under one id exists once.
@RunnerLoop
final class EventEngine {
  /// How long a lease lasts without renewal, in seconds, and how often it is renewed.
  static let leaseLifetime = 15
  static let leaseRenewal = Duration.seconds(5)
  /// When nobody rings, the queue is looked at this often.
  static let poll = Duration.milliseconds(1_000)
  /// While ids are missing, they are looked for this often.
  static let holePoll = Duration.milliseconds(20)
  /// Beyond so many events in memory nothing more is read.
  static let mostInMemory = 10_000

  private let store: EventStore
  private let holder: Int
  private let pools: [String: FunctionPool]
  private let log: Log
  private let bell = Bell()
  private var lease: EventStore.Lease = [:]
  private var cursors: [Int: LaneCursor] = [:]
  private var lines: [String: FunctionLine] = [:]
  private var settled: [(QueuedEvent.Place, Settlement)] = []
  private var inFlightRetries: Set<QueuedEvent.Place> = []
  private var generation = 0
  private var renewAt = ContinuousClock.now
  private var nextRetry: Double?
  private var isStopping = false
  /// How many readings of the queue have begun, and the last of them when it brought nothing.
  private(set) var readings = 0
  private var emptyReading = 0
  /// How many attempts have ended.
  private(set) var ended = 0

  init(store: EventStore, holder: Int, pools: [String: FunctionPool], log: Log) {
    self.store = store
    self.holder = holder
    self.pools = pools
    self.log = log
  }

  /// There may be something to do.
  func ring() { bell.ring() }

  /// Reads nothing more; ``run()`` returns when what runs has ended and is settled.
  func stop() {
    isStopping = true
    ring()
  }

  /// Lets a function's waiting events start again after it was mended.
  func resume(_ function: String) {
    lines[function]?.isPaused = false
    start(function)
  }

  /// The functions whose events wait because it is misconfigured.
  var paused: [String] { lines.filter(\.value.isPaused).map(\.key) }

  /// Works until ``stop()``.
  ///
  /// Trouble with the database is logged and waited out.
  func run() async {
    var trouble = 0
    while !(isStopping && running == 0 && settled.isEmpty) {
      do {
        try await keepLease()
        if try await turn() { continue }
        trouble = 0
        await bell.wait(upTo: nextLook)
      } catch {
        if error.sqlState == "RU001" {
          forget()
        } else if trouble == 0 {
          log.warning("The database is away", ["error.cause": "\(error)"])
        }
        trouble += 1
        if isStopping, trouble > 3 { return }
        await bell.wait(upTo: .milliseconds(min(2_000, 50 << min(trouble, 6))), orRing: false)
      }
    }
    try? await store.release()
  }

  /// Whether nothing runs or is to be settled, and a reading that began after the given one brought nothing new.
  func isIdle(after reading: Int) -> Bool {
    lease.isEmpty || running == 0 && settled.isEmpty && emptyReading > reading && emptyReading == readings
  }

  /// Whether lanes are held and events flow.
  var isReady: Bool { !lease.isEmpty && !isStopping }

  private var running: Int { lines.values.reduce(0) { $0 + $1.running } }

  private var nextLook: Duration {
    if cursors.values.contains(where: { !$0.holes.isEmpty }) { return Self.holePoll }
    guard let nextRetry else { return Self.poll }
    return min(Self.poll, .seconds(max(0.01, nextRetry)))
  }

  private func keepLease() async throws(PostgresError) {
    guard ContinuousClock.now >= renewAt, !isStopping else { return }
    if !lease.isEmpty, try await store.renew(lifetime: Self.leaseLifetime) < lease.count { forget() }
    if lease.count < 16 {
      let taken = try await store.acquire(holder: holder, lifetime: Self.leaseLifetime)
      lease.merge(taken) { $1 }
      for lane in taken.keys { cursors[lane] = LaneCursor() }
      if !taken.isEmpty { log.info("Lanes taken", ["lanes": "\(taken.count)"]) }
    }
    renewAt = .now + (lease.count < 16 ? .seconds(1) : Self.leaseRenewal)
  }

  /// One round trip; `true` when there was something to settle or to start.
  private func turn() async throws(PostgresError) -> Bool {
    guard !lease.isEmpty else { return false }
    let (settling, hold) = (settled, lease)
    // While too much waits in memory, or at the end, a reading without lanes settles only.
    let reads = !isStopping && lines.values.reduce(0) { $0 + $1.count } < Self.mostInMemory
    guard reads || !settling.isEmpty else { return false }
    settled = []
    if reads { readings += 1 }
    let number = readings
    let reading: EventStore.Reading
    do {
      reading = try await store.turn(
        settling: settling, lease: hold, cursors: cursors, inFlightRetries: Array(inFlightRetries), reads: reads)
    } catch {
      // Whether it was committed or not: settling again what is gone does nothing.
      settled = settling + settled
      throw error
    }
    for (place, _) in settling where place.table == .retries { inFlightRetries.remove(place) }
    if reads { take(reading) }
    if reads, reading.events.isEmpty { emptyReading = number }
    return !settling.isEmpty || !reading.events.isEmpty
  }

  private func take(_ reading: EventStore.Reading) {
    nextRetry = reading.nextRetry
    let fresh = reading.events.filter { $0.place.table == .events }
    let byLane = Dictionary(grouping: fresh, by: \.place.lane)
    for lane in lease.keys {
      cursors[lane, default: LaneCursor()]
        .saw((byLane[lane] ?? []).map(\.place.id), xmin: reading.xmin, xmax: reading.xmax)
    }
    for event in reading.events {
      if event.place.table == .retries { inFlightRetries.insert(event.place) }
      lines[event.function, default: FunctionLine()].append(event)
    }
    for function in Set(reading.events.map(\.function)) { start(function) }
  }

  private func start(_ function: String) {
    guard !isStopping else { return }
    let pool = pools[function]
    while let event = lines[function]?.next(limit: pool?.capacity ?? 1) {
      guard let pool else {
        end(event, WorkerOutcome(ending: .couldNotStart("functions.json has no function of that name")))
        return
      }
      let generation = generation
      pool.submit(
        Job(id: event.eventID, line: event.line) { [self] outcome in
          if generation == self.generation { end(event, outcome) }
        })
    }
  }

  private func end(_ event: QueuedEvent, _ outcome: WorkerOutcome) {
    let attempts = event.attempt + 1
    ended += 1
    switch outcome.disposition {
    case .done:
      settled.append((event.place, .done))
    case .pause:
      lines[event.function]?.putBack(event)
      lines[event.function]?.isPaused = true
      log.error(
        "The function is paused until it is mended",
        ["function": event.function, "error.code": outcome.code, "error.message": outcome.message])
      return
    case .retry(let after) where attempts < (pools[event.function]?.entry.attempts ?? 1):
      let delay = Backoff.delay(afterFailures: attempts, retryAfter: after, random: .random(in: 0...1))
      settled.append(
        (event.place, .retry(attempt: attempts, delay: delay, code: outcome.code, error: outcome.report)))
    case .retry, .permanent:
      settled.append((event.place, .deadLetter(attempts: attempts, code: outcome.code, error: outcome.report)))
      log.error(
        "An event is a dead letter",
        ["function": event.function, "event.id": event.eventID, "error.code": outcome.code])
    }
    lines[event.function]?.ended(event)
    start(event.function)
    ring()
  }

  /// The lanes have gone to another runner, which reads everything anew: what still runs here settles nothing.
  private func forget() {
    log.warning("The lanes have gone to another runner")
    generation += 1
    (lease, cursors, lines, settled, inFlightRetries) = ([:], [:], [:], [], [])
    renewAt = .now
  }
}

extension WorkerOutcome {
  /// What a retry or a dead letter remembers: the sentence, and the end of stderr.
  fileprivate var report: String {
    stderrTail.isEmpty ? message : "\(message)\n\(stderrTail)"
  }
}
