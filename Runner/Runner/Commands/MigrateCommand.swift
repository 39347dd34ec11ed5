import CLI
import Capture
import FunctionKit
import LocalPostgres
import Manifest
import Postgres
import Terminal

/// `runner migrate`: the schema and the triggers, in one transaction.
struct MigrateCommand {
  private let context: CommandContext
  private let prunes: Bool
  private let isPlan: Bool
  private let isCheck: Bool
  private let partitions: Int?
  /// The role that is let in.
  private let role: String?
  private let removal: RemovalCommand?

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    prunes = arguments.flag("--prune")
    isPlan = arguments.flag("--plan")
    isCheck = arguments.flag("--check")
    guard !isPlan || !isCheck else { throw FunctionError(.usage, "--plan and --check do not go together.") }
    partitions = try arguments.number("--partitions", in: 1...256)
    if let partitions, partitions.nonzeroBitCount != 1 {
      throw FunctionError(.usage, "--partitions takes a power of two, from 1 to 256.")
    }
    role = try arguments.value("--grant")
    removal = RemovalCommand(&arguments)
    guard removal == nil || !(prunes || isCheck) && partitions == nil && role == nil else {
      throw FunctionError(.usage, "--remove goes together with --plan, --force and --yes only.")
    }
    context = try CommandContext(&arguments)
    try arguments.finish()
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
      migrator.waits = { Console.note("a table is in use: nothing is changed yet, trying again in a moment") }
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
