import CLI
import Cron
import FoundationEssentials
import FunctionKit
import Inspection
import Manifest
import Postgres
import Queue

/// Moves the clock, and says before what would come due on the way.
struct ClockPages: PageSource {
  /// The longest way at once, in seconds.
  private static let furthest = 400.0 * 86_400

  let place = NavigationEntry("clock", "Clock", key: "c")

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.form != nil else {
      guard request.path.count <= 2 else { throw NoSuchPage() }
      if request.path.count == 2 {
        guard let outcome = await desk.kept(request.path[1]) else { throw NoSuchPage() }
        return .page(ClockOutcome(lines: outcome).page)
      }
      let view = try await view(request, desk)
      var page = view.page
      page.data = view.data
      return .page(page)
    }
    switch request.path.count == 2 ? request.path[1] : "" {
    case "advance":
      try desk.checkMayAct()
      let target = try TimeText.date(request.entered("to") ?? "")
      let now = try await ClockReading(desk.database).now
      try Self.check(target.timeIntervalSince(now))
      var command = try RunnerCommand.changing("clock", "set").with(flag: "--forward").with(TimeText.of(target))
      (command.timeLimit, command.writesLines) = (.seconds(600), true)
      return .redirect(Address("clock", await desk.keep(try await desk.run(command))))
    case "realtime":
      var command = RunnerCommand.changing("clock", "realtime")
      (command.timeLimit, command.writesLines) = (.seconds(120), true)
      _ = try await desk.run(command)
      return .redirect(Address("clock"))
    default: throw NoSuchPage()
    }
  }

  private func view(_ request: PageRequest, _ desk: Desk) async throws -> ClockView {
    let clock = try await ClockReading(desk.database)
    let end = try WayAhead(request["span"] ?? ClockView.usualSpan).end(from: clock.now)
    try Self.check(end.timeIntervalSince(clock.now))
    // It starts a process, so it goes on beside the reads.
    async let waiting = Self.waiting(until: end, desk)
    let lines = try await lines(from: clock.now, to: end, desk)
    return ClockView(
      clock: clock, span: request["span"], end: end, lines: lines, waiting: await waiting, mayAct: desk.mayAct,
      token: request.token)
  }

  /// The people who are told later, as all sources know them; `nil` if none knows anything.
  private static func waiting(until end: Date, _ desk: Desk) async -> HTML? {
    var waiting: HTML?
    for source in desk.sources {
      if let known = await source.waiting(until: end, desk) { waiting = (waiting ?? HTML()) + known }
    }
    return waiting
  }

  /// The things that come due, by their first moments.
  private func lines(from now: Date, to end: Date, _ desk: Desk) async throws -> [ClockView.DueLine] {
    let (from, through) = (Int64(now.timeIntervalSince1970), Int64(end.timeIntervalSince1970))
    let paused = try await desk.database.query("SELECT name FROM runner.schedules WHERE paused_at IS NOT NULL")
      .map { row throws(PostgresError) in try row.decode("name", as: String.self) }
    let ticks = try desk.manifest.schedules().filter { !paused.contains($0.name) }.map { entry in
      let times = entry.schedule.occurrences(after: from, through: through, limit: ClockView.most)
      return ClockView.DueLine(
        cause: .schedule, name: entry.name,
        due: DueTimes(
          times, isCut: times.count == ClockView.most, goesOnEvenly: entry.schedule.expression.isEvenlySpaced))
    }
    let others = try await desk.database.query(
      """
      SELECT false AS is_wake_up, function, count(*) AS number, (array_agg(due ORDER BY due))[:\(DueTimes.mostWords)::int] AS times
      FROM (SELECT function, ceil(extract(epoch FROM run_at))::bigint AS due FROM runner.retries
        WHERE run_at <= \(end)) AS r
      GROUP BY function
      UNION ALL
      SELECT true, function, 1, ARRAY[ceil(extract(epoch FROM at))::bigint] FROM runner.wakeups WHERE at <= \(end)
      ORDER BY is_wake_up, function
      """
    ).map { row throws(PostgresError) in
      // What is overdue comes at once.
      let times = try row.decode("times", as: [Int].self).map { max(from, Int64($0)) }
      return ClockView.DueLine(
        cause: try row.decode("is_wake_up") ? .wakeUp : .retries, name: try row.decode("function"),
        due: DueTimes(times, count: try row.decode("number", as: Int.self)))
    }
    return (ticks + others).filter { $0.due.count > 0 }.sorted { ($0.due.first ?? 0) < ($1.due.first ?? 0) }
  }

  private static func check(_ seconds: Double) throws(FunctionError) {
    guard seconds <= furthest else { throw FunctionError(.usage, "The clock moves by 400 days at most.") }
  }
}
