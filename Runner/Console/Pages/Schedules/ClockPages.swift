import CLI
import Cron
import FoundationEssentials
import FunctionKit
import Inspection
import Manifest
import Postgres
import Schedules

/// Moves the clock, and says before what would come due on the way.
struct ClockPages: PageSource {
  /// The longest way at once, in seconds.
  private static let furthest = 400.0 * 86_400

  let place = Place("clock", "Clock", key: "c")

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.form != nil else {
      guard request.path.count <= 2 else { throw NoSuchPage() }
      if request.path.count == 2 {
        guard let outcome = await desk.kept(request.path[1]) else { throw NoSuchPage() }
        return .page(ClockOutcome(lines: outcome).page)
      }
      return .page(try await view(request, desk).page)
    }
    switch request.path.count == 2 ? request.path[1] : "" {
    case "advance":
      let span = request.entered("span") ?? ""
      _ = try Self.seconds(span)
      var command = try RunnerCommand.changing("clock", "advance").with(span)
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
    var view = ClockView(clock: clock, span: request["span"] ?? "", mayAct: desk.mayAct, token: request.token)
    guard let span = request["span"] else { return view }
    let end = clock.now.addingTimeInterval(try Self.seconds(span))
    let (from, through) = (Int64(clock.now.timeIntervalSince1970), Int64(end.timeIntervalSince1970))
    let paused = try await desk.database.query("SELECT name FROM runner.schedules WHERE paused_at IS NOT NULL")
      .map { row throws(PostgresError) in try row.decode("name", as: String.self) }
    view.end = end
    view.ticks = try desk.manifest.schedules().filter { !paused.contains($0.name) }.map { entry in
      let times = entry.schedule.occurrences(after: from, through: through, limit: ClockView.most)
      return ClockView.Ticks(name: entry.name, function: entry.function, times: times)
    }.filter { !$0.times.isEmpty }
    view.retries = try await desk.database.query(
      """
      SELECT function, count(*) AS number, min(run_at) AS first FROM runner.retries WHERE run_at <= \(end)
      GROUP BY function ORDER BY 3
      """
    ).map { row throws(PostgresError) in
      (try row.decode("function"), try row.decode("number"), try row.decode("first"))
    }
    return view
  }

  private static func seconds(_ span: String) throws(FunctionError) -> Double {
    let seconds = try TimeText.seconds(span)
    guard seconds > 0, seconds <= furthest else { throw FunctionError(.usage, "The clock moves by 400 days at most.") }
    return seconds
  }
}
