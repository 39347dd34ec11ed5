import FoundationEssentials
import FunctionKit
import Postgres

/// `runner clock`: shows and sets the time that schedules, retries and functions go by.
struct ClockCommand {
  private enum Action {
    case now
    case advance(ClockSpan)
    case set(Date)
    case runUntilIdle(limit: ClockSpan)
    case realtime
  }

  private let project: Project
  private let json: Bool
  private let anyLocal: Bool
  private let rebases: Bool
  private let action: Action

  init(_ words: Words) throws {
    var words = words
    project = try Project(directory: words.value("--project"))
    json = words.flag("--json")
    anyLocal = words.flag("--any-local-database")
    rebases = words.flag("--rebase")
    let limit = try words.value("--limit")
    let verb = words.word() ?? "now"
    switch verb {
    case "now": action = .now
    case "advance": action = .advance(try ClockSpan(try Self.argument(of: verb, "how long: 8d", &words)))
    case "set": action = .set(try InstantText.read(try Self.argument(of: verb, "an instant", &words)))
    case "run-until-idle": action = .runUntilIdle(limit: try ClockSpan(limit ?? "30d"))
    case "realtime": action = .realtime
    default: throw FunctionError(.usage, "The clock knows now, advance, set, run-until-idle and realtime, no \(verb).")
    }
    try words.finish()
  }

  private static func argument(of verb: String, _ what: String, _ words: inout Words) throws -> String {
    guard let word = words.word() else { throw FunctionError(.usage, "runner clock \(verb) needs \(what).") }
    return word
  }

  func run() async throws -> Int32 {
    let url = try Environment.current().databaseURL(in: project)
    let database = Connection(url: url, applicationName: "runner clock", statementTimeout: .seconds(600))
    if case .now = action { return try await show(database) }
    let own = try? Environment([:], workingDirectory: project.directory).databaseURL()
    try await ClockAccess(database, isOwn: url == own).check(anyLocal: anyLocal)
    // A clock whose change a crash undoes is set again; thousands of steps need not wait for the disk.
    try await database.script("SET synchronous_commit = off")
    let ear = Connection(url: url, applicationName: "runner clock listener", statementTimeout: nil)
    let driver = ClockDriver(database: database, ear: ear)
    switch action {
    case .advance(let span): try await travel(driver, database, by: span)
    case .runUntilIdle(let limit): try await travel(driver, database, by: limit, untilIdle: true)
    case .set(let instant): try await set(instant, driver, database)
    case .realtime: try await ClockSetting.goBack(to: nil, rebasing: rebases, in: database)
    case .now: break
    }
    return try await show(database)
  }

  private func show(_ database: Connection) async throws -> Int32 {
    let row = try await database.query(
      "SELECT runner.now() AS now, extract(epoch FROM \"offset\")::float8 AS offset FROM runner.clock"
    ).only()
    let (now, offset): (Date, Double) = (try row.decode("now"), try row.decode("offset"))
    guard json else {
      let span = ClockSpan(seconds: Int(abs(offset).rounded())).text
      let distance = offset == 0 ? "real time" : "\(span) \(offset > 0 ? "ahead of" : "behind") real time"
      return Console.say("\(InstantText.show(now))  \(distance)")
    }
    struct Line: Encodable { var now: Date, offset: Double, virtual: Bool }
    let line = Line(now: now, offset: offset, virtual: offset != 0)
    return Console.say(String(decoding: try JSONCoding.encode(line).bytes, as: UTF8.self))
  }

  private func set(_ instant: Date, _ driver: ClockDriver, _ database: Connection) async throws {
    let now: Date = try await database.query("SELECT runner.now() AS now").only().decode("now")
    if instant < now {
      try await ClockSetting.goBack(to: instant, rebasing: rebases, in: database)
    } else if try await driver.isServed() {
      try await travel(driver, database, to: instant)
    } else {
      _ = try await database.query(
        "UPDATE runner.clock SET \"offset\" = make_interval(secs => extract(epoch FROM \(instant) - clock_timestamp()))"
      )
    }
  }

  private func travel(
    _ driver: ClockDriver, _ database: Connection, by span: ClockSpan, untilIdle: Bool = false
  ) async throws {
    let now: Date = try await database.query("SELECT runner.now() AS now").only().decode("now")
    try await travel(driver, database, to: now + Double(span.seconds), untilIdle: untilIdle)
  }

  private func travel(
    _ driver: ClockDriver, _ database: Connection, to end: Date, untilIdle: Bool = false
  ) async throws {
    var driver = driver
    var report = try await ClockReport(database, json: json)
    try await driver.begin()
    while true {
      if untilIdle, try await !driver.isAnythingAhead() { break }
      guard try await driver.step(to: end) else { break }
      try await report.print(at: driver.settled)
    }
    try await report.print(at: driver.settled, isLast: true)
  }
}
