import EventLoop
import FoundationEssentials
import FunctionKit
import HTTP2

/// The emulator's state, on the loop that also serves its connections.
actor Emulator {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let access: ControlAccess
  let maxStreams: UInt32
  let log: Log
  var apns: APNS
  var fcm = FCM()
  var phones: Phones
  var history: PushHistory
  let journal: PushJournal
  var clock: EmulatorClock
  var connections = Connections()
  /// The listeners, after they were started.
  var servers: [Face: HTTP2Server] = [:]
  /// The directory of the keys and accounts that are made by request.
  let directory: EmulatorDirectory
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter = 0
  private var isTurnEndAwaited = false
  private var isStopped = false
  private var warned: Set<ProviderTokenText.Oddity> = []

  init(
    loop: EventLoop, options: ServeOptions, apns: APNS, history: PushHistory, journal: sending PushJournal,
    directory: EmulatorDirectory, log: Log
  ) {
    (self.loop, self.apns, self.history, self.journal, self.log) = (loop, apns, history, journal, log)
    self.directory = directory
    access = ControlAccess(host: options.host)
    maxStreams = options.maxStreams
    phones = Phones(registry: DeviceRegistry(isStrict: options.isStrict))
    clock = EmulatorClock(path: options.clockPath)
  }

  /// The emulator's time; the clock's file is checked once in a turn of the loop.
  func now() -> Date {
    if !isTurnEndAwaited {
      clock.refresh()
      finishAtEndOfTurn()
    }
    return clock.now
  }

  /// Keeps a push, and gives it to its device or lets it wait.
  func take(_ push: Judgement, connection: Connection, now: Date) {
    let seq = history.lastSeq + 1
    var isStored: Bool?
    if push.effect.isTaken, phones.registry.state(of: push.token)?.isOnline == false {
      let storage = push.storage(seq: seq, now: now)
      phones.held.hold(seq, for: push.token, storage)
      isStored = storage != nil
    }
    let record = PushRecord(
      seq: seq, receivedAt: now, connection: connection.number, push, storedOffline: isStored)
    connection.pushes += 1
    history.append(record)
    journal.append(record)
    push.provider?.oddities.forEach(warn)
    finishAtEndOfTurn()
  }

  /// The pushes of a query, with its wait.
  func pushes(_ query: PushQuery) async -> PushHistory.Page {
    let deadline = ContinuousClock.now + query.wait
    var scan = PushScan(query, in: history)
    while true {
      scan.advance(in: history)
      let left = ContinuousClock.now.duration(to: deadline)
      if scan.isEnough || left <= .zero || isStopped { return scan.page }
      await nextPush(within: left)
    }
  }

  func screens(_ query: PushQuery) -> [DeviceScreen] {
    DeviceScreen.all(phones.held.arrivals(history.all).lazy.filter(query.matches))
  }

  /// Forgets pushes, the devices' instructions, faults, and the provider tokens that came.
  func reset() throws(FunctionError) {
    history.removeAll()
    phones = Phones(registry: DeviceRegistry(isStrict: phones.registry.isStrict))
    apns.tokens.updates = TokenUpdates()
    try journal.removeAll()
  }

  /// Writes the open records, and from now on lets no request wait.
  func stop() {
    isStopped = true
    finishTurn()
  }

  private func nextPush(within limit: Duration) async {
    lastWaiter += 1
    let waiter = lastWaiter
    let timer = loop.schedule(after: limit) { self.release(waiter) }
    await withCheckedContinuation { waiting[waiter] = $0 }
    loop.cancel(timer)
  }

  private func release(_ waiter: Int) {
    waiting.removeValue(forKey: waiter)?.resume()
  }

  private func warn(_ oddity: ProviderTokenText.Oddity) {
    guard warned.insert(oddity).inserted else { return }
    log.warning("A provider token with a deviation is accepted", ["problem": oddity.rawValue])
  }

  /// One write and one wake-up for all pushes of one turn of the loop.
  private func finishAtEndOfTurn() {
    guard !isTurnEndAwaited else { return }
    isTurnEndAwaited = true
    loop.atEndOfTurn { self.finishTurn() }
  }

  private func finishTurn() {
    isTurnEndAwaited = false
    for waiter in waiting.keys { release(waiter) }
    do throws(FunctionError) {
      try journal.flush()
    } catch {
      log.error("The pushes could not be written", ["error.cause": error.message])
    }
  }
}
