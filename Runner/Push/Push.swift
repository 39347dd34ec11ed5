import CLI
import FunctionKit
import Postgres
import StoreLive

/// Commands about pushes for people at a terminal.
@main
struct Push {
  // On the main thread, which may wait for lines: one of the pool would be missing there.
  @MainActor static func main() async {
    if CommandLine.arguments.dropFirst().elementsEqual(["--stream"]) { Answers.main() }
    await program([
      WhyCommand.spec, PeopleCommand.spec, PhonesCommand.spec, DoctorCommand.spec, TokenCommand.spec,
      UnsubscribeLinkCommand.spec, WordsCommand.spec,
    ]).main()
  }

  static func program(_ commands: [CommandSpec]) -> Program {
    Program(
      "push", "Why pushes were sent or were not, what they need, and who may ask the API.", commands: commands,
      failure: { ($0 as? PostgresError).map(failure) ?? FunctionError($0) })
  }

  /// A command waits for nothing that somebody has to change first, as the runner's own commands do not.
  private static func failure(_ error: PostgresError) -> FunctionError {
    error.isRefusal ? FunctionError(.misconfigured, error.openingFailure, cause: error) : FunctionError(database: error)
  }
}
