import CLI
import FoundationEssentials
import FunctionKit
import Notifications

/// `push why`: says why people were notified of an event, or not, and what a person was notified of lately.
///
/// For an event it shows each gate, down to the provider's answer.
enum WhyCommand {
  private static let user = Option.text(
    "--user", "USER", "of an event: only this person, by an e-mail address or an id; without it the first")
  private static let function = Option.text("--function", "NAME", "which of the functions that got the event")
  private static let since = Option.span(
    "--since", "SPAN", "of a person: how far back: 30m, 12h, 1d (unless given), 7d")
  private static let app = Option<App>.choice(
    "--app", "APP", "of a person: only one app: \(App.allCases.map(\.rawValue).joined(separator: ", "))")
  private static let count = Option.number(
    "--count", "N", in: 1...1_000, "how many people, or events, are listed (20; 1,000 at most)")
  private static let after = Option<PersonPlace>(
    "--after", "PLACE", "of an event: the people who come after a list, by the \"next\" of its --json",
    read: PersonPlace.read)
  private static let recent = Flag("--recent", "the events that functions have decided about last")
  private static let dryRun = Flag(
    "--dry-run", "an event that has not happened, from the file or stdin; nothing is changed")
  private static let file = Option.text("--event", "FILE", "another way to name the event's file")

  static let spec = CommandSpec(
    "why", "why people were told or not, and what an event waits for",
    [
      Operand("EVENT-ID", "as runner events list shows it, or the id that it came with").required, user, function,
      count, after, Reply.option.saying("the same as one JSON document"),
    ],
    [
      Operand("USER", "an e-mail address or an id").required, since, app, PersonOptions.outcome, PersonOptions.before,
      PersonOptions.devicesAfter, Reply.option,
    ],
    [recent.required, function, count, Reply.option],
    [dryRun.required, function.required, Operand("EVENT-FILE|-"), file, user, count, Reply.option],
    notes: """
      For an event that waits or has failed, it says what holds it up. For one that
      has run, it shows every gate with its question and answer, then what became of
      the pushes. For a person, it shows badge, devices, quiet hours and what waits
      for them, then the decisions about them, the newest first.
      exit: 0 explained, 64 bad usage, 65 bad event, 66 nothing is known of the event
      or the person, 78 misconfigured.
      """, run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let (reply, user, count) = (Reply(arguments), arguments[user], arguments[count] ?? ReportStore.listed)
    if arguments[dryRun] {
      guard arguments[file] == nil || arguments.operand == nil else {
        throw FunctionError(.usage, "Name the event's file once: by itself, or with --event.")
      }
      let (store, file) = (try ReportStore.own(), arguments[file] ?? arguments.operand)
      let rehearsal = try await DryRun(
        of: arguments.required(function), file: file == "-" ? nil : file, at: store.now())
      let report = try await store.report(on: rehearsal, user: user, listing: count)
      return try reply(report, text: report.text)
    }
    if arguments[recent] {
      let events = try await ReportStore.own().latest(count, of: arguments[function])
      return try reply(events, text: events.text)
    }
    guard let subject = arguments.operand else {
      throw FunctionError(.usage, "Why what? Give an event's id (see runner events list) or an e-mail address.")
    }
    let store = try ReportStore.own()
    if user == nil, arguments[function] == nil, try await store.isPerson(subject) {
      let report = try await store.report(
        onPerson: subject, since: arguments[since] ?? 86_400, app: arguments[app],
        listing: PersonOptions.choice(arguments, hasApp: arguments[app] != nil))
      return try reply(report, text: report.text)
    }
    let report = try await store.report(
      on: subject, function: arguments[function], user: user, listing: count,
      after: arguments[after])
    return try reply(report, text: report.text)
  }
}
