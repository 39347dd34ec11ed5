import CLI

extension Help {
  static let host = [
    Help(
      group: .serve, command: "host", summary: "some functions over HTTP, for an engine that has the events",
      text: """
        usage: runner host NAME... [--port N] [--host A] [--concurrency N]
                           [--trusted-proxy CIDR,CIDR] [--log-level LEVEL]

        Serves these functions at the gateway's addresses: POST /functions/v1/NAME, and
        the routes of functions.json. It has no queue: it fires no schedules, follows no
        rows, and needs no database for itself. /_/health says that it answers,
        /_/ready that the functions' database does, too.

          --port N        the port; 0 takes a free one (8080)
          --host A        where it listens (127.0.0.1; with K_SERVICE 0.0.0.0)
          --concurrency N how many calls of each function run at the same time, in place
                          of its "concurrency"; one more gets 429

          --trusted-proxy, --log-level
                          as in runner serve --help

        On SIGTERM it takes nothing new, answers what has come, and exits with 0.

        Knative and Cloud Run set K_SERVICE: then the engine decides who may call, and
        an event keeps its source. RUNNER_KEY is asked for if it is set. Elsewhere,
        other addresses than 127.0.0.1 and ::1 need it, and RUNNER_HOSTS has the names
        under which the gateway is called; see runner serve --help. RUNNER_PORT, PORT
        and RUNNER_HOST stand in for --port and --host, and DATABASE_URL is where
        functions connect.

        exit: 64 an unknown function, or one that runs elsewhere, 70 the port is taken,
        78 a variable is missing that a function needs.
        """)
  ]
}
