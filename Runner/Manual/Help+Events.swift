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

          ID              PARTITION.NUMBER of the list, or the id that it came with;
                          behind all options and -- it may begin with a hyphen
          --function F    events of this function; with an ID, which of several
          --state S       waiting, running, retrying, dead, done, or failed: ended
                          without success and not kept
          --key K         events with this key
          --code C        dead letters with this code, such as WORKER_TIMEOUT
          --since 1h      events no older than this: 90s, 15m, 36h, 30d, 2w, 1d12h
          --older-than D  dead letters that died longer ago than this
          --died-by T     dead letters that had died by this instant: not those that
                          were retried since and have died again
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
        usage: runner resend ID [--function F] [--event FILE|-] [--event-id NEW]
                             [--json]

        The new event carries the old id as replayedfrom. Whole events are kept as
        long as functions.json says (history.payloadHours), dead letters until they are
        retried or purged.

          --event FILE    send this in its place: what runner export has printed, with
                          other data, partitionkey or actorid. Values that
                          functions.json redacts are null there: null keeps them
          --event-id NEW  the new event's id. If the function has had an event with
                          that id, nothing is sent
        """),
    Help(
      group: .events, command: "export", summary: "print an event for a test, or write files that deploy the bundle",
      text: """
        usage: runner export ID [--function F] > fixture.json
               runner export ENGINE [--out DIR|-] [--name NAME] [--image REF]
                                    [--diff | --force] [--json]
               runner export compose --dev [--out DIR|-] [--diff | --force]
               runner export nginx [--beside URL] [--out DIR|-] [--diff | --force]

          ID              the event as its function got it; runner invoke takes it.
                          The values of members that functions.json redacts are null
          ENGINE          systemd, nginx, compose, docker, kubernetes, knative,
                          openfaas or lambda: what each needs to run the bundle, from
                          functions.json. runner doctor --engine says what it lacks
          --out DIR       where the files go, - to print them (deploy/ENGINE)
          --name NAME     what units and services are called (the bundle's name, or
                          push-functions)
          --image REF     the image of export docker (NAME:latest)
          --diff          write nothing; show what would change as a unified diff.
                          exit: 0 nothing, 1 something
          --force         replace files that are not as an export has written them
          --beside URL    the app's own server, which gets everything that the runner
                          does not answer, such as http://127.0.0.1:8080
          --dev           everything in containers beside the sources, for machines
                          that are no Linux (.devcontainer)
        """),
  ]
}
