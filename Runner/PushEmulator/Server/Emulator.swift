import EventLoop
import FoundationEssentials
import FunctionKit

/// The emulator's state, on the loop that also serves its connections.
actor Emulator {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private var apns: APNS
  private var history: PushHistory
  private let journal: PushJournal
  private let log: Log
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter = 0
  private var isTurnEndAwaited = false
  private var isStopped = false

  init(loop: EventLoop, apns: APNS, history: PushHistory, journal: sending PushJournal, log: Log) {
    (self.loop, self.apns, self.history, self.journal, self.log) = (loop, apns, history, journal, log)
  }

  /// Judges a push and keeps it.
  func take(_ request: PushRequest, connection: Int) -> APNS.Judgement {
    let now = Date.now
    let judgement = apns.judge(request, now: now)
    let record = PushRecord(
      seq: history.lastSeq + 1, receivedAt: now, connection: connection, request, judgement)
    history.append(record)
    journal.append(record)
    finishAtEndOfTurn()
    return judgement
  }

  /// The pushes that a query asks for; waits for the first as long as it says.
  func pushes(_ query: PushQuery) async -> PushHistory.Page {
    let deadline = ContinuousClock.now + query.wait
    while true {
      let page = history.page(query)
      let left = ContinuousClock.now.duration(to: deadline)
      if !page.records.isEmpty || left <= .zero || isStopped { return page }
      await nextPush(within: left)
    }
  }

  /// What the devices show that a query asks for.
  func screens(_ query: PushQuery) -> [DeviceScreen] {
    DeviceScreen.all(history.all.lazy.filter(query.matches))
  }

  func instruct(_ token: String, _ instruction: DeviceRegistry.Instruction) {
    apns.devices.apply(instruction, to: token)
  }

  /// Forgets pushes and device states.
  func reset() throws(EmulatorError) {
    history.removeAll()
    apns.devices = DeviceRegistry()
    try journal.removeAll()
  }

  /// Writes what is not written yet, and from now on lets nobody wait.
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

  /// One write and one wake-up for all pushes of a turn.
  private func finishAtEndOfTurn() {
    guard !isTurnEndAwaited else { return }
    isTurnEndAwaited = true
    loop.atEndOfTurn { self.finishTurn() }
  }

  private func finishTurn() {
    isTurnEndAwaited = false
    for waiter in waiting.keys { release(waiter) }
    do throws(EmulatorError) {
      try journal.flush()
    } catch {
      log.error("The pushes could not be written", ["error.cause": error.sentence])
    }
  }
}
