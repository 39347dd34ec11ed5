import CLI

extension Help {
  static let clock = [
    Help(
      group: .clock, command: "clock",
      summary: "now, advance, set, run-until-idle, realtime: the time to go by",
      text: """
        usage: runner clock [now] [--json]
               runner clock advance SPAN [--all] [--any-local-database] [--json]
               runner clock set INSTANT [--forward] [--any-local-database] [--json]
               runner clock run-until-idle [--limit SPAN] [--all]
                                           [--any-local-database] [--json]
               runner clock realtime [--any-local-database] [--json]

        Schedules, retries, wake-ups and functions go by this clock. On the way forward
        everything happens when it comes due, and is printed: who was told of what, and
        what else ran. Progress is shown on stderr.

          now             the time, and how far it is from real time
          advance         forward by a span; a runner has to serve
          set             to an instant, forward or back; without a runner nothing
                          happens on the way
          run-until-idle  forward until no retry and no wake-up is left
          realtime        back to real time

        The clock is not set back while rows are stamped later. 'runner reset' deletes
        the project's own database; the next start makes a new one in real time.

          SPAN            90s, 15m, 36h, 8d, 2w, 1d12h
          INSTANT         2026-11-29T09:00:00Z, '2026-11-29 09:00', 2026-11-29
          --forward       neither back, nor forward without a runner
          --all           also ticks without anything to do, and who was not told
          --limit SPAN    no further than this (30d)
          --any-local-database
                          also set the clock of a database that is not the
                          project's own, but never over the network
        """)
  ]
}
