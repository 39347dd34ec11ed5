import Cron
package import FoundationEssentials
import FunctionKit
import Manifest
import Postgres
import System
import TimeZones

/// Puts schedule occurrences in line when they are due.
///
/// Each is one row in the database: however many runners there are and however often they restart, it fires once. What
/// was fired last and what is paused is read again each time, so nothing here can be stale.
@RunnerLoop
final class ScheduleService {
  /// However far the next occurrence is, the database's clock is asked this often: somebody may have set it.
  static let longestSleep = Duration.seconds(60)
  /// An occurrence that is more seconds ahead was fired by a clock that was wrong.
  private static let passing: Double = 60

  private let store: ScheduleStore
  private let log: Log
  private let wakeUp = WakeUp()
  private var manifest: Manifest
  /// How often it was replaced.
  private var changes = 0
  private var entries: [ScheduleEntry]
  private var functions: [String]
  private var isRegistered = false
  private var isWanted = true
  private var isLooking = false
  /// How many occurrences this runner has put in line.
  private(set) var fired = 0
  /// Called when some were.
  var onFire: @RunnerLoop () -> Void = {}

  init(_ manifest: Manifest, store: ScheduleStore, log: Log) async throws(UnknownTimeZone) {
    self.store = store
    (self.manifest, self.log) = (manifest, log)
    entries = try await Self.entries(of: manifest)
    functions = manifest.functions.map(\.name)
  }

  /// Goes on with another manifest's schedules.
  func use(_ manifest: Manifest) async throws(UnknownTimeZone) {
    entries = try await Self.entries(of: manifest)
    self.manifest = manifest
    changes += 1
    functions = manifest.functions.map(\.name)
    isRegistered = false
    look()
  }

  /// The zones of the schedules are files.
  private static func entries(of manifest: Manifest) async throws(UnknownTimeZone) -> [ScheduleEntry] {
    try await BlockingThread.run { () throws(UnknownTimeZone) in try manifest.schedules() }
  }

  /// Reads the zones' rules again: a new version of them counts without a restart.
  private func readZones() async {
    let change = changes
    // What cannot be read for the moment, or was replaced meanwhile, stays as it is.
    guard let fresh = try? await Self.entries(of: manifest), change == changes else { return }
    entries = fresh
  }

  /// Something has changed: the clock, or a schedule.
  func look() {
    isWanted = true
    wakeUp.signal()
  }

  /// Whether everything that was due when it was last told to look has been put in line.
  var isIdle: Bool { !isWanted && !isLooking }

  /// Works until the task is cancelled.
  func run() async {
    var isInTrouble = false
    while !Task.isCancelled {
      (isWanted, isLooking) = (false, true)
      var rest: Duration
      do {
        rest = try await fireDue()
        isLooking = !isRegistered
        isInTrouble = false
      } catch {
        guard !Task.isCancelled else { return }
        if !isInTrouble { log.warning("Schedules wait for the database", ["error.cause": "\(error)"]) }
        isInTrouble = true
        rest = .seconds(1)
      }
      await wakeUp.wait(upTo: rest)
    }
  }

  /// Fires what is due and says how long nothing will be.
  private func fireDue() async throws -> Duration {
    if !isRegistered {
      isRegistered = true
      do { try await store.register(entries, of: functions) } catch {
        isRegistered = false
        throw error
      }
    }
    await readZones()
    let entries = entries
    var (now, states) = try await store.states(of: entries)
    let ahead = states.filter { Double($0.value.base) > now + Self.passing }.keys
    if !ahead.isEmpty {
      for name in try await store.correct(ahead.sorted()) {
        log.warning("A schedule goes on from now: the clock was ahead", ["schedule": name])
      }
      (now, states) = try await store.states(of: entries)
    }
    let read = ContinuousClock.now
    var (changed, soonest): ([String: Int64?], Int64?) = ([:], nil)
    for entry in entries {
      guard let state = states[entry.name] else {
        isRegistered = false
        continue
      }
      let last = try await fire(entry, state, now: now)
      let next = state.isPaused ? nil : entry.schedule.next(after: max(last ?? state.base, Int64(now)))
      if last == nil, next != state.next { changed[entry.name] = next }
      soonest = [soonest, next].compactMap(\.self).min()
    }
    try await store.store(next: changed)
    guard isRegistered, let soonest else { return isRegistered ? Self.longestSleep : .zero }
    return max(.zero, min(Self.longestSleep, .seconds(Double(soonest) - now) - (.now - read)))
  }

  /// Fires what is due of one schedule; the last occurrence of those.
  private func fire(_ entry: ScheduleEntry, _ state: ScheduleStore.ScheduleState, now: Double) async throws -> Int64? {
    guard !state.isPaused else { return nil }
    let plan = CatchUp(policy: entry.trigger.catchUp).plan(entry.schedule, lastFire: state.base, now: Int64(now))
    var last = state.last
    for occurrence in plan.occurrences {
      let tick = entry.tick(occurrence, firedAt: Date(timeIntervalSince1970: now), last: last)
      let next = entry.schedule.next(after: max(occurrence.scheduledTime, Int64(now)))
      let id = entry.eventID(of: tick.scheduledTime)
      if try await store.fire(entry, id, tick, next: next.map(Date.seconds)) {
        fired += 1
        onFire()
      }
      last = occurrence.scheduledTime
    }
    return plan.occurrences.isEmpty ? nil : last
  }
}

extension Date {
  /// The instant this many seconds after 1970-01-01T00:00:00Z.
  package static func seconds(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }
}
