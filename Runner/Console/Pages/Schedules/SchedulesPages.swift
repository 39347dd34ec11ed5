import CLI
import Cron
import Documents
import FoundationEssentials
import FunctionKit
import Inspection
import Manifest
import Metrics
import Queue

/// The schedules, and the clock that they go by.
struct SchedulesPages: PageSource {
  /// How many occurrences of the past are shown.
  private static let fires = 50

  let place = NavigationEntry("schedules", "Schedules", key: "s")

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    if request.form != nil { return try await act(request, desk) }
    switch request.path.count {
    case 1: return .page(try await list(request, desk))
    case 2: return .page(try await one(request.path[1], request, desk))
    default: throw NoSuchPage()
    }
  }

  private func list(_ request: PageRequest, _ desk: Desk) async throws -> Page {
    let lines = try await ScheduleLine.all(of: desk.manifest, in: desk.database)
    let clock = try await ClockReading(desk.database)
    let coming = Dictionary(
      try desk.manifest.schedules().map { entry in
        let start = Int64(clock.now.timeIntervalSince1970)
        return (entry.name, entry.schedule.occurrences(after: start, through: start + 86_400, limit: 300))
      }
    ) { first, _ in first }
    var page = SchedulesView(
      lines: lines, coming: coming, clock: clock, mayAct: desk.mayAct,
      isServing: desk.manifest.firesSchedules && !desk.report.partitions.isEmpty, token: request.token,
      done: request["done"]
    ).page
    page.data = PageData(lines) {
      CSV(
        lines,
        [
          ("schedule", { $0.name }), ("function", { $0.function }), ("expression", { $0.expression }),
          ("time zone", { $0.timezone }), ("next", { $0.pausedAt == nil ? $0.next.map(TimeText.exact) : "paused" }),
          ("last", { $0.last.map { TimeText.exact($0.scheduledTime) } }), ("outcome", { $0.last?.outcome }),
        ])
    }
    return page
  }

  private func one(_ name: String, _ request: PageRequest, _ desk: Desk) async throws -> Page {
    guard let entry = try desk.manifest.schedules().first(where: { $0.name == name }),
      let line = try await ScheduleLine.all(of: desk.manifest, in: desk.database).first(where: { $0.name == name })
    else { throw NoSuchPage() }
    let clock = try await ClockReading(desk.database)
    let start = Int64(clock.now.timeIntervalSince1970)
    let history = try await ScheduleFire.latest(Self.fires, of: name, in: desk.database)
    var page = ScheduleView(
      line: line, next: entry.schedule.occurrences(after: start, limit: 10), schedule: entry.schedule,
      history: history, clock: clock, mayAct: desk.mayAct, token: request.token, done: request["done"]
    ).page
    page.data = PageData(history, extent: "its history, the newest \(Self.fires) at most") {
      CSV(
        history,
        [
          ("scheduled", { TimeText.exact($0.scheduledTime) }), ("fired", { TimeText.exact($0.firedAt) }),
          ("late by seconds", { "\($0.lateBy)" }), ("by hand", { $0.manual ? "yes" : "no" }),
          ("outcome", { $0.outcome ?? $0.skipped }), ("milliseconds", { $0.milliseconds.map { "\($0)" } }),
          ("event", { $0.event }),
        ])
    }
    return page
  }

  private func act(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.path.count == 3 else { throw NoSuchPage() }
    let name = request.path[1]
    switch request.path[2] {
    case "fire":
      let fired = try await desk.run(
        .changing("schedules", "fire").with(name).with(flag: "--no-wait"), as: FiredDocument.self,
        once: request.entered("sure"))
      return .redirect(Address("event", fired.event))
    case "pause":
      _ = try await desk.run(.changing("schedules", "pause").with(name))
      return .redirect(Address("schedules", name).with("done", "paused"))
    case "resume":
      _ = try await desk.run(.changing("schedules", "resume").with(name))
      return .redirect(Address("schedules", name).with("done", "resumed"))
    default: throw NoSuchPage()
    }
  }
}
