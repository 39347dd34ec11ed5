import CLI
import FoundationEssentials
import FunctionKit
import Logging
import Manifest
import Postgres
import Terminal

/// `runner try`: does one of the bundle's experiments, and prints what came of it.
struct TryCommand {
  private static let name = Operand("NAME", "the experiment; without it all are listed").offering(.experiments)
  private static let lines = Reply.option.saying("one JSON object a line: what happened, in its order")

  static let spec = CommandSpec(
    "try", "do one of the bundle's experiments, and see what came of it", [name, lines],
    notes: """
      An experiment changes rows, or moves the clock. So it is done only on the
      database that the runner itself keeps, while a runner serves it.
      """, run: { try await Self($0).run() })

  private let context: CommandContext
  private let name: String?

  private init(_ arguments: CommandArguments) throws {
    context = try CommandContext(arguments)
    name = arguments.operand
  }

  private func run() async throws -> Int32 {
    let experiments = context.project.manifest.experiments
    guard let name else { return list(experiments) }
    guard let experiment = experiments.first(where: { $0.name == name }) else {
      let near = Suggestion.phrase(for: name, among: experiments.map(\.name))
      throw FunctionError(.usage, "There is no experiment \(name);\(near) see runner try.")
    }
    _ = try context.project.databaseURL()
    guard context.project.usesOwnDatabase else {
      throw FunctionError(
        .misconfigured,
        "Nothing was done: experiments are for the database that the runner itself keeps, and this is another one.")
    }
    return try await context.withDatabase(named: "runner try", statementTimeout: .seconds(600)) { database in
      try await ClockAccess(database, isOwn: true).check(anyLocal: false)
      if !context.answer.json { TerminalWriter.say(experiment.opening) }
      try await perform(experiment, database)
      if !context.answer.json, let command = panel(of: experiment)?.command {
        TerminalWriter.say("See also: \(OwnName.current) \(command)")
      }
      return 0
    }
  }

  private func panel(of experiment: Experiment) -> PanelEntry? {
    context.project.manifest.panels.first { $0.name == experiment.panel }
  }

  private func list(_ experiments: [Experiment]) -> Int32 {
    guard !context.answer.json else {
      for one in experiments {
        let members = [("name", one.name), ("title", one.title), ("summary", one.summary)]
        TerminalWriter.say(RawJSON(object: members.map { ($0.0, RawJSON($0.1)) }).printable)
      }
      return 0
    }
    guard !experiments.isEmpty else {
      TerminalWriter.say("functions.json has no experiments.")
      return 0
    }
    var table = Table(["experiment", "what it shows"], flexible: ["what it shows"])
    for one in experiments { table.add([one.name, one.summary.isEmpty ? one.title : one.summary]) }
    TerminalWriter.say(table.text)
    return 0
  }

  private func perform(_ experiment: Experiment, _ database: Connection) async throws {
    let manifest = context.project.manifest
    try await context.withDatabase(named: "runner try listener", statementTimeout: nil) { listening in
      var driver = ClockDriver(database: database, listening: listening)
      // What was due before is none of the experiment's.
      try await driver.begin()
      let end = experiment.end(after: driver.settled)
      var report = try await ClockReport(
        database, answer: context.answer, until: end ?? driver.settled, hiding: manifest.rehearsing, withMinor: true,
        journal: manifest.journal)
      if !experiment.sql.isEmpty {
        do throws(PostgresError) {
          try await database.script(experiment.sql)
        } catch {
          let doubt = "It is not known whether the database did it"
          throw FunctionError(
            .failed, "\(error.outcomeIsUnknown ? doubt : "The database did not do it"): \(error.debugDescription)")
        }
      }
      do {
        if !experiment.sql.isEmpty { try await driver.begin() }
        if let end {
          try await driver.travel(to: end, by: Rehearsal(context.project), &report)
        } else {
          try await report.print(at: driver.settled, isLast: true)
        }
      } catch let error where !experiment.sql.isEmpty {
        let cause = error as? FunctionError ?? FunctionError(.unavailable, "\(error)")
        throw FunctionError(cause.code, "The rows were changed, but what came of it is not known: \(cause.message)")
      }
    }
  }
}

extension Experiment {
  /// The description of the experiment for a person.
  fileprivate var opening: String {
    let style = Style.current()
    let lines = sql.split(separator: "\n").map { style.faint("     \($0)") }
    return ([style.title(title)] + lines).joined(separator: "\n")
  }

  /// The next time that the clock is moved to; `nil` if it stays.
  fileprivate func end(after now: Date) -> Date? {
    guard let minute else { return nil }
    let day = (now.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400
    let end = Date(timeIntervalSince1970: day + Double(minute * 60))
    return end > now ? end : end.addingTimeInterval(86_400)
  }
}
