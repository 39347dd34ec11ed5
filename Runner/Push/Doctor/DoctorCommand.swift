import CLI
import FunctionKit

/// `push doctor`: checks everything that pushes need, a line each, and says what to do if something is missing.
struct DoctorCommand: Command {
  private let scope: Examination.Scope
  private let reply: Reply

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    reply = Reply(&arguments)
    scope = Examination.Scope(
      isOfSettings: arguments.flag("--settings"), isLive: arguments.flag("--live"),
      asksProduction: arguments.flag("--production"),
      validates: arguments.flag("--validate-only")
    )
    guard scope.isLive || !scope.asksProduction && !scope.validates else {
      throw FunctionError(.usage, "--production and --validate-only go with --live; see runner doctor push --help.")
    }
    guard !scope.isOfSettings || !scope.isLive else {
      throw FunctionError(.usage, "--settings asks nobody, so it does not go with --live.")
    }
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    try reply(await Examination(.current(), scope).findings())
  }

  static let help = Help(
    "doctor", "check the keys, tables and connections that pushes need", called: "runner doctor push",
    """
    usage: runner doctor push [--live [--production] [--validate-only]] [--json]
           runner doctor push --settings [--json]

      --live          ask the sandbox of APNs without a credential, and Google for
                      an access token
      --production    ask the production server of APNs, too
      --validate-only also ask FCM to check a message, which it does not send
      --settings      look only at the variables and files of APNs and FCM;
                      runner doctor shows what is wrong with them, too
      --json          an array of {"check","ok","warning","detail"}

      --help, --version

    It looks at keys, service accounts, tables and rights, clocks, and with --live
    at the connections to the servers.
    environment: what push-delivery gets.
    exit: 0 nothing is missing, 64 bad usage, 78 something is.
    """)
}
