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
  private enum Action {
    case show
    /// The clock goes forward; with `untilIdle`, at most that far.
    case travel(WayAhead, untilIdle: Bool)
    /// The clock goes to a time; with `onlyForward`, neither back nor past what comes due.
    case set(Date, onlyForward: Bool)
    case goBack
  }

  private let context: CommandContext
  private let anyLocal: Bool
  private let showsAll: Bool
  private let action: Action

  private static let span = Operand("SPAN", "90s, 15m, 36h, 8d, 2w, 1d12h; or the next 22:00 in UTC")
  private static let instant = Operand("INSTANT", "2026-11-29T09:00:00Z, '2026-11-29 09:00', 2026-11-29")
  private static let forward = Flag("--forward", "neither back, nor forward without a runner")
  private static let all = Flag("--all", "also ticks without anything to do, and who was not told")
  private static let limit = Option("--limit", "SPAN", "no further than this (30d)", read: WayAhead.init)
  private static let anyLocal = Flag(
    "--any-local-database",
    "also set the clock of a database that is not the project's own, but never over the network")

  private static let lines = Reply.option.saying(
    "one JSON object a line: first what happened on the way, at last the clock")

  static let spec = CommandSpec(
    "clock", "show or move the clock", [anyLocal, Reply.option],
    verbs: [
      CommandSpec("now", "the time, and how far it is from real time", [anyLocal, Reply.option], run: now),
      CommandSpec(
        "advance", "forward by a span or to a time of day; a runner has to serve",
        [span.required, all, anyLocal, lines]
      ) { arguments in
        let way = try WayAhead(operand(of: arguments, "runner clock advance needs how long, or until when: 8d, 22:00."))
        return try await Self(arguments, .travel(way, untilIdle: false)).run()
      },
      CommandSpec(
        "set", "to an instant, forward or back; without a runner nothing happens on the way",
        [instant.required, forward, all, anyLocal, lines]
      ) { arguments in
        let instant = try TimeText.date(operand(of: arguments, "runner clock set needs an instant."))
        return try await Self(arguments, .set(instant, onlyForward: arguments[forward])).run()
      },
      CommandSpec(
        "run-until-idle", "forward until no retry and no wake-up is left", [limit, all, anyLocal, lines]
      ) { arguments in
        try await Self(arguments, .travel(arguments[limit] ?? .by(30 * 86_400), untilIdle: true)).run()
      },
      CommandSpec("realtime", "back to real time", [anyLocal, Reply.option]) {
        try await Self($0, .goBack).run()
      },
    ],
    about: """
      Schedules, retries, wake-ups and functions go by this clock. On the way forward
      everything happens when it comes due, and is printed: who was told of what, and
      what else ran. Progress is shown on stderr.
      """,
    notes: """
      The clock is not set back while rows are stamped later. 'runner reset' deletes
      the project's own database; the next start makes a new one in real time.
      """, run: now)

  private static let now: CommandSpec.Action = { try await Self($0, .show).run() }

  private init(_ arguments: CommandArguments, _ action: Action) throws {
    context = try CommandContext(arguments)
    anyLocal = arguments[Self.anyLocal]
    showsAll = arguments[Self.all]
    self.action = action
  }

  private static func operand(of arguments: CommandArguments, _ complaint: String) throws(FunctionError) -> String {
    guard let operand = arguments.operand else { throw FunctionError(.usage, complaint) }
    return operand
  }

  private func run() async throws -> Int32 {
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
    try await ClockAccess(database, isOwn: context.project.usesOwnDatabase).check(anyLocal: anyLocal)
    // Thousands of steps need not wait for the disk: if a crash undoes one, the clock is set again.
    try await database.script("SET synchronous_commit = off")
    try await context.withDatabase(named: "runner clock listener", statementTimeout: nil) { listening in
      let driver = ClockDriver(database: database, listening: listening)
      switch action {
      case .show: break
      case .travel(let way, let untilIdle):
        try await travel(driver, database, to: way.end(from: try await now(database)), untilIdle: untilIdle)
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
      database, answer: context.answer, until: end, hiding: showsAll ? [] : context.project.manifest.rehearsing,
      withMinor: showsAll, journal: context.project.manifest.journal)
    let rehearsal = try await Rehearsal(context.project)
    try await driver.begin()
    try await driver.travel(to: end, untilIdle: untilIdle, by: rehearsal, &report)
  }
}
