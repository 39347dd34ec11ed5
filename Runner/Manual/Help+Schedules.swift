import CLI

extension Help {
  static let schedules = [
    Help(
      group: .schedules, command: "schedules",
      summary: "list, next, history, fire, pause, resume: what is due when",
      text: """
        usage: runner schedules [list] [--json]
               runner schedules next NAME|EXPRESSION [--timezone ZONE]
                                     [--from INSTANT] [--count N] [--json]
               runner schedules history [NAME] [--count N] [--json]
               runner schedules fire NAME [--at INSTANT] [--no-wait] [--json]
               runner schedules pause NAME [--json]
               runner schedules resume NAME [--json]

          list            every schedule: when it is due next, what became of it last
          next            when a schedule or any expression fires, in its zone and UTC
          history         what was fired or left out, and what became of it
          fire            one occurrence beside those of the schedule; waits up to 10 s
                          for what becomes of it
          pause           nothing is due until resumed, and nothing is made up then
          resume          goes on with what is due from now on

          NAME            the function's; NAME-1, NAME-2 where it has several schedules
          EXPRESSION      five fields such as '0 9 * * 1-5', six with seconds first, or
                          @daily and the like
          --timezone ZONE such as Europe/Berlin (the schedule's, else UTC)
          --from INSTANT  fires after this (now)
          --at INSTANT    the scheduled time that the function gets (now)
          INSTANT         2026-11-29T09:00:00Z, '2026-11-29 09:00', 2026-11-29
          --count N       how many (next 5, history 20)
          --no-wait       print the event's id only, and do not wait
        """)
  ]
}
