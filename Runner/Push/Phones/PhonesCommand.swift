import CLI
import FoundationEssentials
import FunctionKit

/// `push phones`: shows the emulator's phones, taps on them, and makes pushes to them fail.
enum PhonesCommand {
  private static let user = Option.text(
    "--user", "USER", "a part of a name or address, or an id: only their phones")
  private static let count = Option.number(
    "--count", "N", in: 1...200, "how many phones, those with the newest pushes first (20)")
  private static let notification = Option.id(
    "--notification", "ID", "what is tapped; runner phones --json shows the ids")
  private static let device = Option.id("--device", "ID", "only this phone; without it all")
  private static let press = Option.text(
    "--action", "NAME", "the button that is pressed, such as VOTE_YES; without it the push is opened")
  private static let text = Option.text(
    "--text", "TEXT", "what they write, for a button that asks for a text")
  private static let answer = Option<FaultOrder.Answer>.choice(
    "--answer", "ANSWER", "410, 429, 503, slow (3 seconds late) or reset (the stream ends)")
  private static let times = Option.number("--times", "N", in: 1...1_000_000, "how many pushes (1)")
  private static let fault = Option.number(
    "--fault", "NUMBER", in: 1...Int.max, "the fault, as fail has printed it; without it all")
  private static let push = Option.number("--push", "NUMBER", in: 1...Int.max, "the push, as runner pushes shows it")

  static let spec = CommandSpec(
    "phones", "what the emulator's phones show; tap, and make pushes fail", [user, count, Reply.option],
    verbs: [
      CommandSpec(
        "tap", "does what the app does when somebody taps",
        [notification.required, device, press, text, Reply.option]
      ) { arguments in
        let environment = Environment.current()
        _ = try EmulatorControl.required()
        let tap = Tap(
          notification: try arguments.required(notification), device: arguments[device], action: arguments[press],
          text: arguments[text])
        let answer = try await tap.send(environment)
        return Reply(arguments)(
          json: answer, text: "Done: the function has taken it; runner events list shows what follows.")
      },
      CommandSpec(
        "fail", "answers the next pushes with a fault", [answer.required, device, times, Reply.option]
      ) { arguments in
        let emulator = try EmulatorControl.required()
        let order = FaultOrder(
          answer: try arguments.required(answer), device: arguments[device], times: arguments[times] ?? 1)
        let number = try await order.send(to: emulator, ReportStore.own())
        return Reply(arguments)(
          json: RawJSON(object: [("fault", RawJSON(number))]), text: "Fault \(number): \(order.words)")
      },
      CommandSpec("mend", "ends one fault, or all of them", [fault, Reply.option]) { arguments in
        try await EmulatorControl.required().delete("/faults\(arguments[fault].map { "/\($0)" } ?? "")")
        return Reply(arguments)(
          json: RawJSON(object: [("mended", RawJSON(true))]), text: "Pushes are answered as usual again.")
      },
      CommandSpec(
        "file", "the push as an .apns file for Xcode's simulator", [push.required, Reply.option]
      ) { arguments in
        let number = try arguments.required(push)
        guard let file = try await EmulatorControl.required().get("/pushes/\(number).apns") else { return 66 }
        return Reply(arguments)(json: file, text: file.pretty)
      },
    ],
    notes: """
      A tap goes to the function actions over HTTP, with a token of the person's that
      is revoked at once. All of this needs the emulator, which runner serve starts
      beside a local database.
      exit: 0 done, 64 bad usage or refused, 66 no such person, push or fault,
      75 nobody answers, 78 no emulator runs.
      """
  ) { arguments in
    let store = PhonesStore(emulator: try .required(), store: try .own())
    let report = try await store.report(of: arguments[user], limit: arguments[count] ?? 20)
    return try Reply(arguments)(report, text: report.text)
  }
}
