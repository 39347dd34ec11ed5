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
        WhyCommand.self, PeopleCommand.self, PhonesCommand.self, DoctorCommand.self, TokenCommand.self,
        UnsubscribeLinkCommand.self,
      ],
      failure: { ($0 as? PostgresError).map { FunctionError(database: $0) } ?? FunctionError($0) })
    await program.main()
  }
}
