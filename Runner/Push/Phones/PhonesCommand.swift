import CLI
import FoundationEssentials
import FunctionKit

/// `push phones`: shows the emulator's phones, taps on them, and makes pushes to them fail.
struct PhonesCommand: Command {
  private enum Verb: String, CaseIterable { case tap, fail, mend, file }

  private enum Action {
    case list(user: String?, count: Int)
    case tap(Tap)
    case fail(FaultOrder)
    case mend(Int?)
    case file(Int)
  }

  private let action: Action
  private let reply: Reply

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    let verb: Verb? = try arguments.verb()
    // What a person wrote may look like an option.
    let text = verb == .tap ? try arguments.value("--text") : nil
    reply = Reply(&arguments)
    switch verb {
    case nil:
      action = .list(
        user: try arguments.value("--user"), count: try arguments.number("--count", in: 1...200) ?? 24)
    case .tap:
      guard let notification = try arguments.id("--notification") else {
        throw FunctionError(.usage, "Say by --notification ID what is tapped; runner phones --json shows the ids.")
      }
      action = .tap(
        Tap(
          notification: notification, device: try arguments.id("--device"), action: try arguments.value("--action"),
          text: text))
    case .fail:
      guard let answer: FaultOrder.Answer = try arguments.choice("--answer") else {
        throw FunctionError(.usage, "Say by --answer how pushes fail; see runner phones --help.")
      }
      action = .fail(
        FaultOrder(
          answer: answer, device: try arguments.id("--device"),
          times: try arguments.number("--times", in: 1...1_000_000) ?? 1))
    case .mend: action = .mend(try arguments.number("--fault", in: 1...Int.max))
    case .file:
      guard let number = try arguments.number("--push", in: 1...Int.max) else {
        throw FunctionError(.usage, "Say by --push NUMBER which push; runner pushes shows the numbers.")
      }
      action = .file(number)
    }
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    let environment = Environment.current()
    let emulator = try EmulatorControl.required(environment)
    switch action {
    case .list(let user, let count):
      let store = PhonesStore(emulator: emulator, store: try ReportStore(environment, name: "push phones"))
      let report = try await store.report(of: user, limit: count)
      return try reply(report, text: report.text)
    case .tap(let tap):
      let answer = try await tap.send(environment)
      return reply(json: answer, text: "Done: the function has taken it; runner events list shows what follows.")
    case .fail(let order):
      let number = try await order.send(to: emulator, ReportStore(environment, name: "push phones"))
      return reply(json: RawJSON(object: [("fault", RawJSON(number))]), text: "Fault \(number): \(order.words)")
    case .mend(let number):
      try await emulator.delete("/faults\(number.map { "/\($0)" } ?? "")")
      return reply(
        json: RawJSON(object: [("mended", RawJSON(true))]), text: "Pushes are answered as usual again.")
    case .file(let number):
      guard let file = try await emulator.get("/pushes/\(number).apns") else { return 66 }
      Console.say(file.pretty)
      return 0
    }
  }

  static let help = Help(
    "phones", "what the emulator's phones show; tap, and make pushes fail",
    """
    usage: runner phones [--user USER] [--count 24] [--json]
           runner phones tap --notification ID [--device ID] [--action NAME]
                         [--text TEXT] [--json]
           runner phones fail --answer ANSWER [--device ID] [--times 1] [--json]
           runner phones mend [--fault NUMBER] [--json]
           runner phones file --push NUMBER

      --user USER     an e-mail address or an id: only this person's phones
      --count N       how many phones, those with the newest pushes first (24)
      tap             does what the app does when somebody taps: with --action
                      presses a button, such as VOTE_YES, without it opens the push
      --text TEXT     what they write, for a button that asks for a text
      fail            answers the next pushes with 410, 429, 503, slow (3 seconds
                      late) or reset (the stream ends)
      --device ID     only this phone; without it all
      --times N       how many pushes (1)
      mend            ends one fault, or all of them
      file            the push as an .apns file for Xcode's simulator
      --json          one JSON document

      --help, --version

    A tap goes to the function actions over HTTP, with a token of the person's that
    is revoked at once. All of this needs the emulator, which runner serve starts
    beside a local database.
    exit: 0 done, 64 bad usage or refused, 66 no such person, push or fault,
    75 nobody answers, 78 no emulator runs.
    """)
}
