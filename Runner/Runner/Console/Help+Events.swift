import CLI

extension Help {
  static let events = [
    Help(
      group: .events, command: "events",
      summary: "list, show, dead, retry, purge: what waits or became of it",
      text: """
        usage: runner events list [--function F] [--state S] [--key K] [--since 1h]
                                  [--count N] [--json]
               runner events show ID [--function F] [--json]
               runner events dead [--function F] [--code C] [--key K] [--since 1h]
                                  [--count N] [--json]
               runner events retry ID... | --function F | --code C | --since 1h |
                                   --all [--json]
               runner events purge ID... | --function F | --code C |
                                   --older-than 30d | --dead [--yes] [--json]

          list            the newest events: waiting, retrying, dead and ended ones
          show            all of one event: its state, its attempts and its body
          dead            the dead letters: events that are not tried again
          retry           dead letters are tried again under their ids, from the start
          purge           delete dead letters for good

          ID              PARTITION.NUMBER of the list, or the id that it came with
          --function F    events of this function; with an ID, which of several
          --state S       waiting, running, retrying, dead, done, or failed: ended
                          without success and not kept
          --key K         events with this key
          --code C        dead letters with this code, such as WORKER_TIMEOUT
          --since 1h      events no older than this: 90s, 15m, 36h, 30d, 2w, 1d12h
          --older-than D  dead letters that died longer ago than this
          --count N       how many (20)
          --all, --dead   every dead letter
          --yes           delete more than one without being asked
        """),
    Help(
      group: .events, command: "why", summary: "why an event has not run yet, or what became of it",
      text: """
        usage: runner why ID [--function F] [--json]

          ID              PARTITION.NUMBER of the list, or the id that it
                          came with
          --function F    which of several functions
        """),
    Help(
      group: .events, command: "resend", summary: "send an event that has ended again, as a new one with a new id",
      text: """
        usage: runner resend ID [--function F] [--json]

        The new event carries the old id as replayedfrom. Whole events are kept as
        long as functions.json says (history.payloadHours), dead letters until they are
        retried or purged.
        """),
    Help(
      group: .events, command: "export", summary: "print an event as its function got it, for a test fixture",
      text: """
        usage: runner export ID [--function F] > fixture.json
               runner invoke NAME --event fixture.json

        The values of members that functions.json redacts are null.
        """),
  ]
}
