import EventLoop
import FoundationEssentials
import FunctionKit
import Postgres
import System

/// Makes everything in this runner follow the clock, and tells `runner clock` when nothing is left to do.
@RunnerLoop
final class ClockFollower {
  private let clock: VirtualClock
  private let schedules: ScheduleService
  private let engine: EventEngine
  private let notified: NotifiedFunctions
  private let wakeUps: WakeUps
  private let holder: Int
  private let log: Log
  private var isStale = false
  private var isReading = false
  private var isStopped = false
  private var notifiesAll = false
  private var isInTrouble = false
  private var questions: [String] = []

  /// - Parameter holder: this runner's number, under which it answers.
  init(
    clock: VirtualClock, schedules: ScheduleService, engine: EventEngine, notified: NotifiedFunctions, wakeUps: WakeUps,
    holder: Int, log: Log
  ) {
    (self.clock, self.schedules, self.engine, self.wakeUps) = (clock, schedules, engine, wakeUps)
    (self.holder, self.log, self.notified) = (holder, log, notified)
    // What was put in line here is read before the engine is idle again.
    schedules.onFire = { engine.wakeUp() }
  }

  /// Whether nothing runs or waits that could run, and all has been looked at since the clock was set.
  var isIdle: Bool {
    !isStale && !isReading && schedules.isIdle && notified.isIdle && engine.machine.isIdle
  }

  /// Reads the clock for the first time: nothing is to run by a wrong one.
  func start() async throws(PostgresError) {
    await clock.follow(try await wakeUps.load().clock)
  }

  /// Signals may have been missed: reads the clock again and then runs what may have work.
  func followAll() {
    notifiesAll = true
    follow()
  }

  /// The clock may have been set: reads it again.
  func follow() {
    isStale = true
    guard !isReading else { return }
    isReading = true
    BackgroundTask.start("reading the clock") { [self] in
      while isStale, !isStopped { await read() }
      isReading = false
    }
  }

  /// Answers a command by NOTIFY as soon as nothing is left to do.
  ///
  /// The question comes through the same channel as all signals, and after those that were sent before it.
  func answerWhenIdle(_ question: String) {
    guard !questions.contains(question) else { return }
    questions.append(question)
    engine.wakeUp()
    if questions.count == 1 { answer() }
  }

  func stop() { isStopped = true }

  private func read() async {
    isStale = false
    do {
      try await wakeUps.correct()
      let (setting, asked) = try await wakeUps.load()
      guard setting == clock.setting else {
        // Meanwhile a function may ask to be run at another time: all is read once more.
        isStale = true
        return await clock.follow(setting)
      }
      for (name, function) in notified.all {
        function.follow(asked[name])
        if notifiesAll { function.notify() }
      }
      (notifiesAll, isInTrouble) = (false, false)
      schedules.look()
      engine.wakeUp()
    } catch {
      guard !isStopped else { return }
      if !isInTrouble { log.warning("The clock could not be read", ["error.cause": "\(error)"]) }
      (isStale, isInTrouble) = (true, true)
      try? await Task.sleep(for: .seconds(1))
    }
  }

  private func answer() {
    guard !questions.isEmpty, !isStopped else { return }
    guard isIdle else {
      RunnerLoop.loop.schedule(after: .milliseconds(1)) { [self] in answer() }
      return
    }
    let asked = questions
    questions = []
    BackgroundTask.start("telling a command that the runner is idle", log: log) { [self] in try await answer(asked) }
  }

  /// Answers, unless there are signals that nobody has taken yet.
  private func answer(_ asked: [String]) async throws(PostgresError) {
    let signalled = try await SignalStore(database: wakeUps.database).take(notified.names).functions
    guard signalled.isEmpty, isIdle else {
      for function in signalled { notified.signal(function) }
      questions += asked
      return answer()
    }
    let done = engine.machine.finished + schedules.fired + notified.ended
    try await wakeUps.answer(asked.map { "\($0) \(holder) \(done)" })
  }
}
