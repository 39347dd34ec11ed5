import CLI
import Capture
import FunctionKit
import LocalPostgres
import Manifest
import Postgres
import Terminal

/// `runner migrate`: the schema and the triggers, in one transaction.
struct MigrateCommand {
  private static let prune = Flag(
    "--prune",
    "remove the triggers and schedules of this bundle that its functions.json does not ask for; without it they stay, "
      + "as another version may need them, and are named")
  private static let partitions = Option.number(
    "--partitions", "N", in: 1...256,
    "how many parts the queue has from now on, and so how many runners with the same functions can share its events: "
      + "a power of two up to 256 (16 in a new database)")
  private static let grant = Option.text(
    "--grant", "ROLE",
    "let a role that owns nothing run the runner and the functions: it gets exactly the rights that they need, now "
      + "and with each migrate that comes; with --plan they are printed")
  private static let plan = Flag("--plan", "print the SQL that would run, in its order, and change nothing")
  private static let check = Flag(
    "--check", "change nothing: say what is to be done, and whether runners of earlier versions may go on meanwhile")

  static let spec = CommandSpec(
    "migrate", "bring the database to the present schema, and make the triggers",
    [prune, partitions, grant, plan, Reply.option],
    [check.required, prune, partitions, grant, Reply.option],
    [RemovalCommand.option.required, plan, RemovalCommand.force, Consent.option, Reply.option],
    notes: """
      Triggers that a later version or another bundle made are left alone. exit of
      --check: 0 nothing to do, 75 to be done while runners of earlier versions go on,
      or because the database was never migrated, 78 they have to end first.
      """, run: { try await Self($0).run() })

  private let context: CommandContext
  private let prunes: Bool
  private let isPlan: Bool
  private let isCheck: Bool
  private let partitions: Int?
  /// The role that is let in.
  private let role: String?
  private let removal: RemovalCommand?

  init(_ arguments: CommandArguments) throws {
    prunes = arguments[Self.prune]
    isPlan = arguments[Self.plan]
    isCheck = arguments[Self.check]
    partitions = arguments[Self.partitions]
    if let partitions, partitions.nonzeroBitCount != 1 {
      throw FunctionError(.usage, "--partitions takes a power of two, from 1 to 256.")
    }
    role = arguments[Self.grant]
    removal = RemovalCommand(arguments)
    context = try CommandContext(arguments)
  }

  func run() async throws -> Int32 {
    let project = context.project
    let local = project.hasOwnDatabase ? try await LocalPostgres.start(project: project.directory) : nil
    let status: Int32
    do { status = try await run(at: local?.url) } catch {
      _ = try? await local?.stop()
      throw error
    }
    _ = try await local?.stop()
    return status
  }

  private func run(at url: String?) async throws -> Int32 {
    try await context.withDatabase(url: url, named: "runner migrate", statementTimeout: .seconds(600)) { database in
      if let removal { return try await isPlan ? removal.plan(database, context) : removal.run(database, context) }
      var migrator = Migrator(database: database, isOwn: context.project.hasOwnDatabase)
      migrator.waits = { TerminalWriter.note("a table is in use: nothing is changed yet, trying again in a moment") }
      if isCheck { return try await check(migrator) }
      return try await isPlan ? plan(migrator) : migrate(migrator)
    }
  }

  private func migrate(_ migrator: Migrator) async throws -> Int32 {
    let manifest = context.project.manifest
    let report = try await migrator.migrate(manifest, prunes: prunes, partitions: partitions, granting: role)
    let done =
      report.migrations.map { "applied \($0)" } + report.triggers
      + report.defaults.map { "rows of \($0) that name no app are of \(manifest.defaultApp ?? "")" }
      + (report.partitions.map { ["the queue has \($0[1]) partitions, and had \($0[0])"] } ?? [])
      + [report.people].compactMap(\.self) + report.rights
    let lines = (done.isEmpty ? ["Nothing to do: the database is up to date."] : done) + report.notes
    return try context.answer(report, text: lines.joined(separator: "\n"))
  }

  /// For the job of a deployment: whether there is anything to do, and whether runners may go on meanwhile.
  private func check(_ migrator: Migrator) async throws -> Int32 {
    let parts = try await parts(migrator)
    let isNew = parts.contains { $0.sql == Migrator.beginning }
    let steps = parts.filter { $0.name != "runner" }.map { CheckedStep($0, isFirst: isNew) }
    guard !isNew else {
      let sentence = "The database was never migrated, so no runner uses it: run \"runner migrate\"."
      let status = try context.answer(steps, text: sentence)
      return status == 0 ? FunctionError.Code.unavailable.exitStatus : status
    }
    let breaks = steps.contains { $0.olderRunners == .end }
    let advice =
      steps.isEmpty
      ? "Nothing to do: the database is up to date."
      : breaks
        ? "End the runners of earlier versions, then run \"runner migrate\"."
        : "Run \"runner migrate\", then replace the runners one after the other."
    let table = steps.map { "\($0.name): \($0.sentence)" }
    let status = try context.answer(steps, text: (table + [advice]).joined(separator: "\n"))
    guard status == 0, !steps.isEmpty else { return status }
    return (breaks ? FunctionError.Code.misconfigured : .unavailable).exitStatus
  }

  private func parts(_ migrator: Migrator) async throws -> [Migrator.Planned] {
    try await migrator.plan(context.project.manifest, prunes: prunes, partitions: partitions, granting: role)
  }

  private func plan(_ migrator: Migrator) async throws -> Int32 {
    let parts = try await parts(migrator)
    return try context.answer(
      parts, text: parts.isEmpty ? "-- Nothing to do: the database is up to date." : Self.text(of: parts))
  }

  /// A script that is run as it stands; no name in it ends a comment.
  private static func text(of parts: [Migrator.Planned]) -> String {
    let early = parts.filter(\.isEarly).map { part in
      let lines = part.sql.split(separator: "\n").map { "-- \(String($0).onOneCleanLine)" }.joined(separator: "\n")
      return "-- \(part.name.onOneCleanLine): run it alone and first, or writers wait until it is made\n\(lines)"
    }
    let rest = parts.filter { !$0.isEarly }.map { "-- \($0.name.onOneCleanLine)\n\($0.sql)" }
    return ([head] + early + ["BEGIN;\n\(Migrator.start)"] + rest + ["COMMIT;"]).joined(separator: "\n\n")
  }

  private static let head = """
    -- Where a lock is refused (55P03), nothing is changed: run this again.
    -- Then run "runner migrate --plan" again, or "runner migrate": triggers and rights on new tables come after them.
    -- "runner migrate --remove" does not put back what psql has changed.
    """
}

/// A part of what `migrate` would do, and what becomes of runners of earlier versions.
private struct CheckedStep: Encodable {
  enum OlderRunners: String, Encodable { case goOn = "go on", some = "some go on", end }

  let name: String
  let olderRunners: OlderRunners
  /// The first migration that those have to know that go on.
  let since: String?

  /// - Parameter isFirst: whether no runner of an earlier version can have used the database.
  init(_ part: Migrator.Planned, isFirst: Bool) {
    name = part.name
    switch isFirst ? .all : part.compatibility {
    case .all: (olderRunners, since) = (.goOn, nil)
    case .none: (olderRunners, since) = (.end, nil)
    case .since(let earlier): (olderRunners, since) = (.some, earlier)
    }
  }

  var sentence: String {
    switch olderRunners {
    case .goOn: "runners of earlier versions may go on"
    case .some: "runners that know \(since ?? "") may go on, those of versions before it refuse"
    case .end: "runners of earlier versions have to end first"
    }
  }
}
