import CLI
import FunctionKit
import Postgres
import StoreLive

/// Commands about pushes for people at a terminal.
@main
struct Push {
  // Explicitly concurrent, because an async entry point must not depend on its caller's isolation.
  @concurrent static func main() async {
    let program = Program(
      "push", "Why pushes were sent or were not, what they need, and who may ask the API.",
      commands: [
        WhyCommand.spec, PeopleCommand.spec, PhonesCommand.spec, DoctorCommand.spec, TokenCommand.spec,
        UnsubscribeLinkCommand.spec, WordsCommand.spec,
      ],
      failure: { ($0 as? PostgresError).map(failure) ?? FunctionError($0) })
    await program.main()
  }

  /// A command waits for nothing that somebody has to change first, as the runner's own commands do not.
  private static func failure(_ error: PostgresError) -> FunctionError {
    error.isRefusal ? FunctionError(.misconfigured, error.openingFailure, cause: error) : FunctionError(database: error)
  }
}
