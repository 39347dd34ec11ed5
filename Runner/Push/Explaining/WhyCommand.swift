import CLI
import FoundationEssentials
import FunctionKit
import Notifications

/// `push why`: says why people were notified of an event, or not, and what a person was notified of lately.
///
/// For an event it shows each gate, down to the provider's answer.
struct WhyCommand: Command {
  private enum Question {
    /// An event or a person.
    case subject(String)
    /// What a function would decide about an event in a file; `nil` for stdin.
    case rehearsal(function: String, file: String?)
    /// Which events functions have decided about last.
    case latest
  }

  private let question: Question
  /// The person to explain an event for; `nil` for everybody.
  private let user: String?
  /// The function that got the event; `nil` for all of them.
  private let function: String?
  private let since: TimeInterval
  private let app: App?
  /// How many people or events are listed.
  private let count: Int
  private let reply: Reply

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    reply = Reply(&arguments)
    user = try arguments.value("--user")
    function = try arguments.value("--function")
    since = try arguments.seconds("--since") ?? 86_400
    app = try arguments.choice("--app")
    count = try arguments.number("--count", in: 1...1_000) ?? ReportStore.listed
    if arguments.flag("--dry-run") {
      guard let function else {
        throw FunctionError(.usage, "--dry-run takes --function NAME: which function would get the event?")
      }
      let file = try arguments.value("--event") ?? arguments.operand()
      question = .rehearsal(function: function, file: file == "-" ? nil : file)
    } else if arguments.flag("--recent") {
      question = .latest
    } else {
      guard let subject = arguments.operand() else {
        throw FunctionError(.usage, "Why what? Give an event's id (see runner events list) or an e-mail address.")
      }
      question = .subject(subject)
    }
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    let store = try ReportStore(.current(), name: "push why")
    switch question {
    case .subject(let subject):
      if user == nil, function == nil, try await store.isPerson(subject) {
        let report = try await store.report(onPerson: subject, since: since, app: app)
        return try reply(report, text: report.text)
      }
      let report = try await store.report(on: subject, function: function, user: user, listing: count)
      return try reply(report, text: report.text)
    case .latest:
      let events = try await store.latest(count, of: function)
      return try reply(events, text: events.text)
    case .rehearsal(let function, let file):
      let now = try await store.now()
      let report = try await store.report(on: Rehearsal(of: function, file: file, at: now), user: user)
      return try reply(report, text: report.text)
    }
  }

  private static let apps = "of a person: only one app: \(App.allCases.map(\.rawValue).joined(separator: ", "))"
    .wrapped(toColumns: 58).joined(separator: "\n" + String(repeating: " ", count: 22))

  static let help = Help(
    "why", "why people were told or not, and what an event waits for",
    """
    usage: runner why EVENT-ID [--user USER] [--function NAME] [--count 20]
                      [--json]
           runner why USER [--since 1d] [--app APP] [--json]
           runner why --recent [--function NAME] [--count 20] [--json]
           runner why --dry-run --function NAME [EVENT-FILE | -] [--user USER]
                      [--json]

      EVENT-ID        as runner events list shows it, or the id that it came with
      USER            an e-mail address or an id
      --user USER     of an event: only this person; without it the first
      --count N       how many people, or events, are listed (20; 1,000 at most)
      --recent        the events that functions have decided about last
      --function NAME which of the functions that got the event
      --since SPAN    of a person: how far back: 30m, 12h, 1d (unless given), 7d
      --app APP       \(apps)
      --dry-run       an event that has not happened, from the file or stdin;
                      nothing is changed
      --event FILE    another way to name the event's file
      --json          the same as one JSON document

      --help, --version

    For an event that waits or has failed, it says what holds it up. For one that
    has run, it shows every gate with its question and answer, then what became of
    the pushes. For a person, it shows badge, devices, quiet hours and what waits
    for them, then the decisions about them, the newest first.
    exit: 0 explained, 64 bad usage, 65 bad event, 66 nothing is known of the event
    or the person, 78 misconfigured.
    """)
}
