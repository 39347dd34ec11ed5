import CLI

extension Help {
  static let host = [
    Help(
      group: .serve, command: "host", summary: "some functions for an engine that has the events",
      text: """
        usage: runner host NAME... [--port N] [--host A] [--open] [--concurrency N]
                           [--dry-run] [--trusted-proxy CIDR,CIDR] [--log-level LEVEL]

        Serves these functions at the gateway's addresses: POST /functions/v1/NAME, and
        the routes of functions.json. One function alone takes every other path, too. It
        has no queue: it fires no schedules, follows no rows, and needs no database for
        itself. /_/health says that it answers, /_/ready that the functions' database
        does, too.

          --port N        the port; 0 takes a free one (8080)
          --host A        where it listens (127.0.0.1; with K_SERVICE 0.0.0.0)
          --open          something in front decides who may call: any address and any
                          host name will do, no key is needed unless RUNNER_KEY is set,
                          and an event keeps its source
          --concurrency N how many calls of each function run at the same time, in place
                          of its "concurrency"; one more gets 429
          --dry-run       functions decide everything and change nothing

          --trusted-proxy, --log-level
                          as in runner serve --help

        On SIGTERM it takes nothing new, answers what has come, and exits with 0.

        Knative and Cloud Run set K_SERVICE and PORT, and of-watchdog's mode "http" sets
        upstream_url: then it is as with --open. Elsewhere, other addresses than
        127.0.0.1 and ::1 need RUNNER_KEY, and RUNNER_HOSTS has the names under which
        the gateway is called; see runner serve --help. RUNNER_PORT, PORT and
        RUNNER_HOST stand in for --port and --host, DATABASE_URL is where functions
        connect, and PUSH_FUNCTION_TIMEOUT is their time limit in seconds, in place of
        their "timeout".

        A watchdog of OpenFaaS that starts it for each request sets Http_Method: then it
        answers the request on stdin, and exits with 65, 70 or 75 if it has failed.

        AWS Lambda sets AWS_LAMBDA_RUNTIME_API: then it asks for events, as many at the
        same time as AWS_LAMBDA_MAX_CONCURRENCY says (1). Without a NAME it takes that
        of the handler.

        --port and --host count before these variables, Lambda's before Knative's, and
        Knative's before a watchdog's.

        exit: 64 an unknown function, or one that runs elsewhere, 70 the port is taken,
        75 Lambda gives no events, or an event has taken too long, 78 a variable is
        missing or cannot be used.
        """)
  ]
}
