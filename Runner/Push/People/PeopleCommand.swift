import CLI
import Documents
import FoundationEssentials
import FunctionKit
import Notifications

/// `push people`: finds people, and says of one what they were told of, what not, and why.
enum PeopleCommand {
  private static let since = Option.span(
    "--since", "SPAN", "of one person: how far back: 30m, 12h, 1d, 7d (unless given)")
  private static let app = Option<App>.choice("--app", "APP", "of one person: only one app")
  private static let count = Option.number(
    "--count", "N", in: 1...1_000, "how many people are listed (20; 1,000 at most)")
  private static let list = Flag("--list", "only the list, also where the search fits one person alone")
  private static let ids = Option.text(
    "--ids", "IDS", "the people with these ids, separated by commas: 100 at most; not for a search")
  private static let mostIDs = 100
  private static let waiting = Flag("--waiting", "who is told what later, because it waits; not for a search")

  static let spec = CommandSpec(
    "people", "find a person, and what they were told or not",
    [
      Operand(
        "SEARCH",
        "a part of a name or e-mail address, or an id; without it those about whom something was decided last"),
      since, app, PersonOptions.outcome, PersonOptions.before, PersonOptions.devicesAfter, count, list, ids, waiting,
      Reply.option,
    ],
    notes: """
      Where the search fits one person alone, it shows their devices with the badge
      that each has, their quiet hours, what waits for them, and the decisions about
      them, the newest first; with --json also the next 48 hours by their own clock.
      20 devices of each app and 50 decisions are listed at once.
      exit: 0 done, 64 bad usage, 75 no database, 78 misconfigured.
      """, run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let (reply, store) = (Reply(arguments), try ReportStore.own())
    if arguments[waiting] {
      let document = try await store.waiting(limit: arguments[count] ?? 20)
      return try reply(document, text: document.text)
    }
    if let text = arguments[ids] {
      let ids = text.split(separator: ",", omittingEmptySubsequences: false).map { UUID(uuidString: String($0)) }
      guard ids.count <= mostIDs, !ids.contains(nil) else {
        throw FunctionError(.usage, "--ids takes UUIDs separated by commas, \(mostIDs) at most.")
      }
      guard arguments.operand == nil else { throw FunctionError(.usage, "--ids does not go with a search.") }
      let people = try await store.people(ids.compactMap(\.self))
      return try reply(people, text: people.text)
    }
    let (people, report) = try await store.read { transaction in
      let people = try await transaction.people(named: arguments.operand, limit: arguments[count] ?? 20)
      guard !arguments[list], let search = arguments.operand, let person = people.only(for: search) else {
        return (people, nil as PersonDocument?)
      }
      let report = try await transaction.report(
        on: person, since: arguments[since] ?? 7 * 86_400, app: arguments[app],
        listing: PersonOptions.choice(arguments, hasApp: arguments[app] != nil))
      return (people, report)
    }
    guard var page = report else { return try reply(people, text: people.text) }
    page.addPage(try await store.badges(of: page, emulator: EmulatorControl.own))
    return try reply(PeopleDocument(people.found, hasMore: people.hasMore, page: page), text: page.text)
  }
}
