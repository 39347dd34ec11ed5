import CLI
import Documents
import FoundationEssentials
import FunctionKit
import Notifications

/// `push people`: finds people, and says of one what they were told of, what not, and why.
struct PeopleCommand: Command {
  private let search: String?
  private let since: TimeInterval
  private let app: App?
  private let count: Int
  private let reply: Reply

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    reply = Reply(&arguments)
    since = try arguments.seconds("--since") ?? 7 * 86_400
    app = try arguments.choice("--app")
    count = try arguments.number("--count", in: 1...1_000) ?? 20
    search = arguments.operand()
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    let environment = Environment.current()
    let store = try ReportStore(environment, name: "push people")
    let people = try await store.people(named: search, limit: count)
    guard let search, let person = people.only(for: search) else { return try reply(people, text: people.text) }
    var page = try await store.report(onPerson: person.id.description, since: since, app: app)
    page.addPage(try await store.badges(of: person, emulator: EmulatorControl(environment)))
    return try reply(PeopleDocument(people.found, hasMore: people.hasMore, page: page), text: page.text)
  }

  static let help = Help(
    "people", "find a person, and what they were told or not",
    """
    usage: runner people [SEARCH] [--since 7d] [--app APP] [--count 20] [--json]

      SEARCH          a part of a name or e-mail address, or an id; without it those
                      about whom something was decided last
      --since SPAN    of one person: how far back: 30m, 12h, 1d, 7d (unless given)
      --app APP       of one person: only one app
      --count N       how many people are listed (20; 1,000 at most)
      --json          one JSON document

      --help, --version

    Where the search fits one person alone, it shows their devices with the badge
    that each has, their quiet hours, what waits for them, and the decisions about
    them, the newest first; with --json also the next 48 hours by their own clock.
    exit: 0 done, 64 bad usage, 75 no database, 78 misconfigured.
    """)
}
