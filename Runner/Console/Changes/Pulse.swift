import EventLoop
import FunctionKit
import Inspection
import Metrics
import Postgres
import System

/// Counts once for all who watch, and notices that something has changed.
///
/// The queue's tables are counted only while somebody watches, at most once a second, and less often if that takes long.
@RunnerLoop
final class Pulse {
  /// How often it looks whether something was written down.
  private static let look = Duration.milliseconds(50)
  /// Counting takes at most a twentieth of a connection's time.
  private static let pace = Pace(share: 20)
  /// The queue is full from this many waiting events on: to read it then takes time that its functions need, too.
  private static let many = 1_000

  private let figures: RunnerFigures
  private let report: @RunnerLoop () -> RunnerReport
  private let database: Connection
  private let functions: @RunnerLoop () -> [String]
  private let changes: @RunnerLoop () -> Int
  private(set) var reading = PulseReading()
  private var totals: [String: (ended: Int, failed: Int)] = [:]
  private var counts = QueueCounts()
  /// How long the counts are shown.
  private var age = Pace.End()
  private var isCounting = false
  private var isFollowing = false
  private var seen = 0
  private var isEnded = false
  /// Called with what has changed; a page is then read again.
  var onChange: @RunnerLoop (Set<Page.Live>) -> Void = { _ in }
  /// Whether anybody watches.
  var isWatched: @RunnerLoop () -> Bool = { false }

  init(
    _ figures: RunnerFigures, database: Connection, functions: @escaping @RunnerLoop () -> [String],
    report: @escaping @RunnerLoop () -> RunnerReport, changes: @escaping @RunnerLoop () -> Int
  ) {
    (self.figures, self.database, self.functions) = (figures, database, functions)
    (self.report, self.changes) = (report, changes)
  }

  func start() { sample() }

  func end() { isEnded = true }

  /// Looks for changes from now on, as long as somebody watches.
  func follow() {
    guard !isFollowing else { return }
    isFollowing = true
    tick()
  }

  /// Whether the queue is full: counted, or as far as this runner has read it.
  var isBusy: Bool {
    reading.waiting >= Self.many || report().functions.reduce(0) { $0 + $1.waiting } >= Self.many
  }

  /// Counts now if the counts are older than a second, unless that takes long because the queue is full.
  func refresh() async {
    if isCounting || .now < age.fresh { return }
    guard .now < age.late else { return await count() }
    countBehind()
  }

  private func countBehind() {
    BackgroundTask.start("counting for the console") { [self] in await count() }
  }

  private func tick() {
    guard !isEnded, isWatched() else { return isFollowing = false }
    RunnerLoop.loop.schedule(after: Self.look) { [self] in
      watch()
      tick()
    }
  }

  private func watch() {
    let changes = changes()
    if changes != seen {
      seen = changes
      onChange([.events, .schedules])
    }
    guard !isCounting, .now >= age.fresh else { return }
    countBehind()
  }

  private func count() async {
    isCounting = true
    defer { isCounting = false }
    let began = ContinuousClock.now
    do {
      let fresh = try await QueueCounts.read(database, most: PulseReading.most)
      let wasAway = reading.problem != nil
      reading.problem = nil
      if fresh.functions != counts.functions || wasAway { onChange([.events]) }
      if fresh.signature != counts.signature || wasAway { onChange([.schedules, .events]) }
      counts = fresh
      for name in Set(fresh.functions.keys).union(reading.functions.keys) {
        let line = fresh.functions[name] ?? QueueCounts.FunctionCounts()
        var function = reading.functions[name] ?? PulseReading.Function()
        (function.waiting, function.retrying, function.dead) = (line.waiting, line.retrying, line.dead)
        reading.functions[name] = function
      }
    } catch {
      if reading.problem == nil { onChange([.events]) }
      reading.problem = "\(error)"
    }
    age = Self.pace.end(after: .now - began, mayBeLate: isBusy && reading.problem == nil)
  }

  /// Adds a value to every series.
  private func sample() {
    guard !isEnded else { return }
    RunnerLoop.loop.schedule(after: .seconds(PulseReading.interval)) { [self] in sample() }
    let waiting = Dictionary(report().functions.map { ($0.name, $0.waiting) }) { $1 }
    for name in functions() {
      let now = figures.of(name).count
      let before = totals[name] ?? now
      totals[name] = now
      var function = reading.functions[name] ?? PulseReading.Function()
      function.ended = (function.ended + [now.ended - before.ended]).suffix(PulseReading.length)
      function.failed = (function.failed + [now.failed - before.failed]).suffix(PulseReading.length)
      function.queued = (function.queued + [waiting[name] ?? 0]).suffix(PulseReading.length)
      reading.functions[name] = function
    }
  }
}
