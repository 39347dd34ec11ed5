import CLI

extension Help {
  static let serve = [
    Help(
      group: .serve, command: "serve", summary: "the gateway, row events, schedules and workers, until Ctrl-C",
      text: """
        usage: runner serve [--port N] [--host A] [--lease SECONDS] [--migrate]
                            [--no-services] [--emulator] [--watch]
                            [--only F,G] [--except F,G] [--no-http] [--no-schedules]
                            [--drain SECONDS] [--wait SECONDS] [--state-dir DIR]
                            [--make-key]
                            [--trusted-proxy CIDR,CIDR] [--log-level LEVEL]
                            [--console off|read-only|on]

          --port N        the gateway's port; 0 takes a free one (54321)
          --host A        where the gateway listens (127.0.0.1); other addresses
                          than 127.0.0.1 and ::1 need RUNNER_KEY or --make-key
          --make-key      without RUNNER_KEY calls need a key that is made, kept in the
                          file runner-key of the state folder, and logged at the start
          --lease SECONDS after which another runner takes over the work of one that
                          does not answer (15)
          --migrate       bring a database that is not the runner's own up to date
          --no-services   without the services of functions.json
          --emulator      the database is for trying out only: start the services that
                          stand in for others, and count what they take as sent.
                          Without it only the PostgreSQL that the runner itself
                          keeps is local: DATABASE_URL may lead to a shared one, also
                          by a Unix socket, or a tunnel from localhost
          --watch         follow functions.json and executables that change
          --only F,G      have these functions only: their events, schedules and calls;
                          other runners on the database have the others
          --except F,G    have all functions but these
          --no-http       take no calls of functions; /_/health, /_/ready and /metrics
                          stay
          --no-schedules  fire no schedules; another runner has to
          --drain SECONDS after a signal to end, how long /_/ready says 503 while
                          everything goes on (0); a second signal ends the wait
          --wait SECONDS  for a database that is starting or does not listen yet (60)
          --trusted-proxy CIDR,CIDR
                          proxies, such as 127.0.0.1 or 10.0.0.0/8, whose
                          X-Forwarded-For or Forwarded tells the caller's address
          --log-level LEVEL
                          log lines of this level and above only, also of functions:
                          debug, info, warning or error (info)
          --state-dir DIR where this runner keeps runner.json, its lock and its log
                          (.runner); two runners of a folder need two
          --console MODE  the pages at /_/console/: on, read-only, or off (on beside
                          the runner's own database, else read-only)

        exit: 75 another runner has to end first, or the database does not answer,
        or refuses the runner, 78 the database is not as functions.json says.

        Environment variables; those that are not set are read from .env beside
        functions.json, and a secret NAME from the file that NAME_FILE names:

          DATABASE_URL    where functions connect, and the runner, unless
          RUNNER_DATABASE_URL
                          says where the runner connects: it needs sessions of its
                          own. Functions may use a pooler in transaction mode, such
                          as PgBouncer: DATABASE_URL with pgbouncer=true
          RUNNER_PORT, PORT, RUNNER_HOST
                          in place of --port and --host
          RUNNER_STATE_DIR
                          in place of --state-dir; other commands, such as logs and
                          doctor, find the runner by it, too. A relative path in
                          .env begins at that file's folder
          RUNNER_KEY      the key that calls have to show, of 16 characters or more, as
                          "Authorization: Bearer KEY" or "apikey: KEY"; without it
                          everybody on this machine may call
          RUNNER_HOSTS    further host names, separated by spaces, for a gateway
                          with another --host
          RUNNER_BODY_MEMORY
                          the memory for the bodies of all calls, in MiB (64);
                          beyond it calls get 503
          RUNNER_TRUSTED_PROXIES, LOG_LEVEL
                          in place of --trusted-proxy and --log-level
          OTEL_EXPORTER_OTLP_ENDPOINT
                          where traces go, over OTLP/HTTP in JSON; further variables of
                          OpenTelemetry are in Runner/README.md
        """),
    Help(
      group: .serve, command: "up", summary: "serve, and play the demo story once",
      text: """
        usage: runner up [--demo] [--database] [options of serve]

          --demo          end after the story
          --database      DATABASE_URL is meant: bring that database up to date;
                          without it up asks, and refuses without a terminal

        The story is played on the runner's own database, or with --emulator, and its
        people are put only into a database that has no others.
        """),
    Help(
      group: .serve, command: "status", summary: "what this project runs here, and what waits",
      text: """
        usage: runner status [--json]

        Also names what deleted checkouts have left. exit: 0 a runner serves or is
        starting, 69 none does, 78 another project's runner serves from the state
        folder.
        """),
    Help(
      group: .serve, command: "down", summary: "end the runner and this project's own PostgreSQL",
      text: """
        usage: runner down [--json]
               runner down --left-behind [--json]

          --left-behind   what deleted checkouts have left running, instead: it takes
                          no options of a project

        Waits for the end, and says what has ended. Another database, which DATABASE_URL
        names, goes on. exit: 0 nothing runs any more, 75 something does, 78 another
        project's runner serves from the state folder, and goes on.
        """),
    Help(
      group: .serve, command: "reset", summary: "delete this project's own database and what its services keep",
      text: """
        usage: runner reset [--yes] [--json]
               runner reset --left-behind [--yes] [--json]

          --yes           do not ask; needed without a terminal
          --left-behind   the databases that deleted checkouts have left, instead: it
                          takes no options of a project

        Ends what runs first. Another database, which DATABASE_URL names,
        is never touched. exit: 78 another project's runner used the state folder last.
        """),
    Help(
      group: .serve, command: "logs", summary: "what the serving runner and its functions have logged",
      text: """
        usage: runner logs [FUNCTION] [--follow] [--count N] [--json]

          FUNCTION        lines of or about this function or service only; "runner"
                          for the runner's own
          --follow        go on with what is logged from now on, until Ctrl-C
          --count N       how many of the latest lines (100)
          --json          one JSON object a line, also on a terminal

        exit: 78 another project's runner serves from the state folder.
        """),
  ]

  static let functions = [
    Help(
      group: .functions, command: "list", summary: "the functions and what triggers them",
      text: """
        usage: runner list [--json]
        """),
    Help(
      group: .functions, command: "invoke",
      summary: "run a function once, on an event from a file, stdin or its sample",
      text: """
        usage: runner invoke NAME [--event FILE|-] [--sample] [--dry-run]
                             [--event-id ID]

          --event FILE    the event; - or nothing is stdin
          --sample        the sample that functions.json names
          --dry-run       decide everything, change nothing
          --event-id ID   the id for an event that has none
        """),
    Help(
      group: .functions, command: "resume", summary: "let the waiting events of a paused function start again",
      text: """
        usage: runner resume NAME [--json]

        A function that is misconfigured or cannot be started is paused: its events
        wait and use up no attempt.
        """),
  ]

  static let checks = [
    Help(
      group: .checks, command: "completions", summary: "the script by which bash, zsh or fish completes words",
      ofProject: false,
      text: """
        usage: runner completions bash
               runner completions zsh
               runner completions fish

          bash            source <(runner completions bash), in ~/.bashrc
          zsh             source <(runner completions zsh), in ~/.zshrc behind compinit
          fish            runner completions fish > runner.fish, in the folder
                          ~/.config/fish/completions
        """),
    Help(
      group: .checks, command: "env", summary: "which variables the functions get, and which are missing",
      text: """
        usage: runner env [FUNCTION...] [--json]

          FUNCTION        of these only; "runner" for what the runner itself reads

        No values are shown. What a function asks for is set, missing, or optional:
        not set, and not needed by itself. Another one may need it, as a key of APNs
        does APNS_PRODUCTION: runner doctor names what lacks then. A value comes from
        the environment, .env beside functions.json, a file that NAME_FILE names, a
        service, or functions.json.
        """),
    Help(
      group: .checks, command: "validate", summary: "check functions.json",
      text: """
        usage: runner validate [--json]
        """),
    Help(
      group: .checks, command: "doctor", summary: "check everything that has to be there",
      text: """
        usage: runner doctor [--replicas N] [--json]
               runner doctor --engine ENGINE [--json]
               runner doctor SUBJECT [options]   what functions.json has a doctor for

          --engine ENGINE what the bundle loses on an engine of runner export
          --replicas N    count connections for as many runners as this (those that
                          serve now)

        exit: 0 nothing is missing, also with warnings, as of dead letters; 78 something
        is.
        """),
    Help(
      group: .checks, command: "migrate", summary: "bring the database to the present schema, and make the triggers",
      text: """
        usage: runner migrate [--prune] [--partitions N] [--grant ROLE]
                              [--plan | --check] [--json]
               runner migrate --remove [--plan] [--force] [--yes] [--json]

          --grant ROLE    let a role that owns nothing run the runner and the functions:
                          it gets exactly the rights that they need, now and with each
                          migrate that comes; with --plan they are printed
          --partitions N  how many parts the queue has from now on, and so how many
                          runners with the same functions can share its events: a
                          power of two up to 256 (16 in a new database)
          --plan          print the SQL that would run, in its order, and change nothing
          --check         change nothing: say what is to be done, and whether runners of
                          earlier versions may go on meanwhile
          --prune         remove the triggers and schedules of this bundle that its
                          functions.json does not ask for; without it they stay, as
                          another version may need them, and are named
          --remove        the way back: take the triggers, functions, tables and columns
                          that migrate has made out of the database again, put back
                          what it has changed, and leave the app's rows as they are. It
                          names what is lost and asks. No runner may serve meanwhile
          --force         remove also while events or pushes wait; they are lost
          --yes           do not ask; needed without a terminal

        Triggers that a later version or another bundle made are left alone. exit of
        --check: 0 nothing to do, 75 to be done while runners of earlier versions go on,
        or because the database was never migrated, 78 they have to end first.
        """),
  ]
}
