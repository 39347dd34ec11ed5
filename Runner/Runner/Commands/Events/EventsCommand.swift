import CLI

/// `runner events`: what waits, what became of it, and what to do about it.
enum EventsCommand {
  static let count = Option.number("--count", "N", in: 1...10_000, "how many (20)")

  static let spec = CommandSpec(
    "events", "list, show, retry and delete events: what waits, or became of it",
    verbs: [
      ListEventsCommand.spec, ShowEventCommand.spec, ListDeadLettersCommand.spec, RetryCommand.spec, PurgeCommand.spec,
      EventsWhyCommand.spec.hidden,
    ], notes: "retry and purge need an ID, or at least one of the options that choose events.")
}
