import CLI
import Documents
import FoundationEssentials
import FunctionKit
import LocalPostgres
import Manifest
import Postgres
import Queue

/// `runner clock`: shows and sets the time that schedules, retries and functions go by.
struct ClockCommand {
  private enum Verb: String, CaseIterable {
    case now, advance, set, realtime
    case runUntilIdle = "run-until-idle"
  }

  private enum Action {
    case show
    /// Forward by seconds; with `untilIdle`, at most that far.
    case travel(Double, untilIdle: Bool)
    /// With `onlyForward` neither back nor past what comes due.
    case set(Date, onlyForward: Bool)
    case goBack
  }

  private let context: CommandContext
  private let anyLocal: Bool
  private let showsAll: Bool
  private let action: Action

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    let verb = try arguments.verb() ?? Verb.now
    context = try CommandContext(&arguments)
    anyLocal = arguments.flag("--any-local-database")
    showsAll = arguments.flag("--all")
    let limit = try arguments.seconds("--limit") ?? 30 * 86_400
    switch verb {
    case .now: action = .show
    case .advance: action = .travel(try TimeText.seconds(Self.next(&arguments, "how long: 8d", verb)), untilIdle: false)
    case .set:
      let onlyForward = arguments.flag("--forward")
      action = .set(try TimeText.date(Self.next(&arguments, "an instant", verb)), onlyForward: onlyForward)
    case .runUntilIdle: action = .travel(limit, untilIdle: true)
    case .realtime: action = .goBack
    }
    try arguments.finish()
  }

  private static func next(_ arguments: inout CommandArguments, _ what: String, _ verb: Verb) throws(FunctionError)
    -> String
  {
    guard let word = arguments.operand() else {
      throw FunctionError(.usage, "runner clock \(verb.rawValue) needs \(what).")
    }
    return word
  }

  func run() async throws -> Int32 {
    guard case .travel = action else {
      return try await LocalPostgres.lending(to: context.project) { try await carryOut() }
    }
    return try await carryOut()
  }

  private func carryOut() async throws -> Int32 {
    try await context.withDatabase(named: "runner clock", statementTimeout: .seconds(600)) { database in
      if case .show = action { return try await show(database) }
      try await change(database)
      return try await show(database)
    }
  }

  private func show(_ database: Connection) async throws -> Int32 {
    let row = try await database.query(
      "SELECT runner.now() AS now, extract(epoch FROM \"offset\")::float8 AS offset FROM runner.clock"
    ).only()
    let (now, offset): (Date, Double) = (try row.decode("now"), try row.decode("offset"))
    let span = "\(TimeText.length(abs(offset))) \(offset > 0 ? "ahead of" : "behind") real time"
    return try context.answer(
      ClockDocument(now: now, offset: offset),
      text: "\(TimeText.of(now))  \(offset == 0 ? "real time" : span)")
  }

  private func change(_ database: Connection) async throws {
    let own = try? context.project.ownDatabaseURL()
    let isOwn = try context.project.databaseURL() == own
    try await ClockAccess(database, isOwn: isOwn).check(anyLocal: anyLocal)
    // Thousands of steps need not wait for the disk: if a crash undoes one, the clock is set again.
    try await database.script("SET synchronous_commit = off")
    try await context.withDatabase(named: "runner clock listener", statementTimeout: nil) { ear in
      let driver = ClockDriver(database: database, ear: ear)
      switch action {
      case .show: break
      case .travel(let seconds, let untilIdle):
        try await travel(driver, database, to: try await now(database) + seconds, untilIdle: untilIdle)
      case .set(let instant, let onlyForward):
        try await set(instant, driver, database, onlyForward: onlyForward)
      case .goBack: try await driver.goBack(to: nil, context.project.manifest)
      }
    }
  }

  private func now(_ database: Connection) async throws -> Date {
    try await database.query("SELECT runner.now() AS now").only().decode("now")
  }

  private func set(
    _ instant: Date, _ driver: ClockDriver, _ database: Connection, onlyForward: Bool
  ) async throws {
    let now = try await now(database)
    if onlyForward {
      guard instant > now else { throw FunctionError(.usage, "It is \(TimeText.of(now)) already: nothing was done.") }
      try await travel(driver, database, to: instant)
    } else if instant < now {
      try await driver.goBack(to: instant, context.project.manifest)
    } else if try await ListeningRunners.isAny(on: database) {
      try await travel(driver, database, to: instant)
    } else {
      _ = try await database.query(
        "UPDATE runner.clock SET \"offset\" = make_interval(secs => extract(epoch FROM \(instant) - clock_timestamp()))"
      )
    }
  }

  private func travel(
    _ driver: ClockDriver, _ database: Connection, to end: Date, untilIdle: Bool = false
  ) async throws {
    var driver = driver
    var report = try await ClockReport(
      database, answer: context.answer, until: end, hiding: showsAll ? nil : context.project.manifest.rehearsing,
      journal: context.project.manifest.journal)
    let rehearsal = try await Rehearsal(context.project)
    try await driver.begin()
    while true {
      if untilIdle, try await !driver.isAnythingAhead() { break }
      if try await !driver.skip(to: end, by: rehearsal) {
        guard try await driver.step(to: end) else { break }
      }
      try await report.print(at: driver.settled)
    }
    try await report.print(at: driver.settled, isLast: true)
  }
}
