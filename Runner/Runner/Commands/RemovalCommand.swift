import CLI
import Capture
import Manifest
import Postgres
import Terminal

/// `runner migrate --remove`: takes everything that `runner migrate` has made out of the database again.
struct RemovalCommand {
  private let consent: Consent
  private let isForced: Bool

  static let option = Flag(
    "--remove",
    "the way back: take the triggers, functions, tables and columns that migrate has made out of the database again, "
      + "put back what it has changed, and leave the app's rows as they are. It names what is lost and asks. No runner "
      + "may serve meanwhile")
  static let force = Flag("--force", "remove also while events or pushes wait; they are lost")

  /// `nil` where the arguments do not ask for it.
  init?(_ arguments: CommandArguments) {
    guard arguments[Self.option] else { return nil }
    consent = Consent(arguments)
    isForced = arguments[Self.force]
  }

  /// Prints the SQL that would run, and what it is about.
  func plan(_ database: Connection, _ context: CommandContext) async throws -> Int32 {
    let plan = try await Remover(database: database).plan(context.project.manifest)
    let notes = (plan.lost.map { "-- lost: \($0)" } + plan.kept.map { "-- kept: \($0)" }).map(\.onOneCleanLine)
    return try context.answer(
      plan, text: plan.statements.isEmpty ? "-- \(Self.nothing)" : (notes + plan.statements).joined(separator: "\n"))
  }

  /// Asks, and removes.
  func run(_ database: Connection, _ context: CommandContext) async throws -> Int32 {
    let manifest = context.project.manifest
    var remover = Remover(database: database)
    remover.waits = { TerminalWriter.note("a table is in use: nothing is changed yet, trying again in a moment") }
    let plan = try await remover.plan(manifest)
    guard !plan.statements.isEmpty else { return try context.answer(Remover.Report(), text: Self.nothing) }
    try await remover.check(manifest, evenWaiting: isForced)
    let losses = plan.lost.isEmpty ? ["no table and no column that has anything"] : plan.lost
    let sentence = "This takes triggers, functions, tables and columns out of the database. Lost are"
    guard try consent.isGiven(to: sentence, losses) else { return 0 }
    var report = try await remover.remove(manifest, evenWaiting: isForced)
    (report.lost, report.kept) = (plan.lost, plan.kept)
    let left = report.left.map { "could not be put back: \($0)" }
    let lines = ["Removed: \(report.statements) statements."] + plan.lost.map { "lost: \($0)" }
    return try context.answer(
      report, text: (lines + plan.kept.map { "kept: \($0)" } + left).joined(separator: "\n"))
  }

  private static let nothing = "Nothing to remove: the database has nothing of the runner's."
}
