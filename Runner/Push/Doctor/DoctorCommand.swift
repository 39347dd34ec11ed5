import CLI
import FunctionKit

/// `push doctor`: checks everything that pushes need, a line each, and says what to do if something is missing.
enum DoctorCommand {
  private static let live = Flag(
    "--live", "ask the sandbox of APNs without a credential, and Google for an access token")
  private static let production = Flag("--production", "ask the production server of APNs, too")
  private static let validateOnly = Flag(
    "--validate-only", "also ask FCM to check a message, which it does not send")
  private static let settings = Flag(
    "--settings",
    "look only at the variables and files of APNs and FCM; runner doctor shows what is wrong with them, too")

  private static let languages = Flag(
    "--languages",
    "look only at the files of \"languages\": runner serve does not start with what is missing there")

  static let spec = CommandSpec(
    "doctor", "check the keys, tables and connections that pushes need", called: "runner doctor push",
    [Reply.option.saying(#"an array of {"check","ok","warning","detail"}"#)],
    [live.required, production, validateOnly, Reply.option], [settings.required, Reply.option],
    [languages.required, Reply.option],
    notes: """
      It looks at keys, service accounts, tables and rights, clocks, and with --live
      at the connections to the servers.
      environment: what push-delivery gets.
      exit: 0 nothing is missing, 64 bad usage, 78 something is.
      """
  ) { arguments in
    if arguments[languages] { return try Reply(arguments)(OwnTextsCheck(.current()).findings) }
    let scope = Examination.Scope(
      isOfSettings: arguments[settings], isLive: arguments[live], asksProduction: arguments[production],
      validates: arguments[validateOnly])
    return try Reply(arguments)(await Examination(.current(), scope).findings())
  }
}
