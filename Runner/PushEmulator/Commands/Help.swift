/// What `--help` says of each command.
enum Help {
  /// The page of a command; of the program itself where none, or another one, is named.
  static func page(of command: String?) -> String {
    switch command {
    case "serve": "\(serve)\n\(control)"
    case "pushes": pushes
    case "token": token
    default: overview
    }
  }

  private static let overview = """
    APNs and FCM as a sender sees them, for development and tests. Nothing leaves
    this machine.

    usage: push-emulator COMMAND [options]
           push-emulator COMMAND --help shows all options of a command

      serve           take pushes, and answer as Apple and Google do
      pushes          what the phones got
      token           make a provider token, as a sender signs it

      --help, --version

    exit: 0 done, 64 bad usage, 71 the system failed, 75 the emulator does not
    answer, 78 misconfigured.

    """

  private static let pushes = """
    What the phones got, the oldest first.

    usage: runner pushes [--json] [--follow] [--last N] [--token TOKEN]
                         [--kind KIND]
           runner pushes --apns SEQ [--plain]

      --json          one JSON object a line
      --follow        go on with what arrives, until Ctrl-C
      --last N        how many to begin with (20)
      --token TOKEN   only of these devices; * and ? stand for any text and any
                      character
      --kind KIND     only of this kind
      --apns SEQ      print that push as a file that Xcode's simulator takes
      --plain         without the member that names the app

      --help, --version

    environment: PUSH_EMULATOR_URL, APNS_CA_PATH, which a runner that serves sets
    exit: 0 done, 64 bad usage, 75 the emulator does not answer, 78 misconfigured.

    """

  private static let token = """
    Make a provider token for the authorization field; it is good for an hour.

    usage: push-emulator token [--directory DIR]

      --directory DIR with the key of the emulator that keeps its files there

      --help, --version

    environment, without --directory: APNS_KEY_PATH, APNS_KEY_ID, APNS_TEAM_ID
    exit: 0 done, 64 bad usage, 78 there is no such key.

    """

  private static let serve = """
    Take pushes over HTTP/2 and TLS. When it is ready it prints one line of JSON
    with the environment for senders: APNS_URL (production), APNS_SANDBOX_URL,
    FCM_URL, the authority to trust, a provider key and a service account.

    usage: push-emulator serve --directory DIR [options]

      --directory DIR where certificates, keys and the pushes are kept; made where
                      missing
      --host ADDRESS  the address to listen on (127.0.0.1)
      --port N        the port of APNs' production host; 0 takes a free one (0)
      --sandbox-port N
                      that of its sandbox host
      --fcm-port N    that of FCM and of the token endpoint
      --bundle-id ID  push topics that are allowed; may be repeated; all without it
      --keys FILE     more provider keys:
                      {"keys":[{"keyId","teamId","path","environments","topics"}]}
      --strict-tokens device tokens about which nothing was said are bad; they are
                      good otherwise
      --lenient-provider-tokens
                      take provider tokens with a DER signature, padded base64, or
                      iat as a string; warns
      --token-updates connection|team
                      where a second provider token within 20 minutes is one too
                      many: on a connection, as Apple's page has it (the default),
                      or at the host for the whole team
      --max-streams N streams of a connection once a valid provider token has come
                      by it (1,000)
      --clock-file PATH
                      {"offset": SECONDS}: how far the time is ahead of real time;
                      followed as it changes
      --keep N        how many pushes are kept (50,000)
      --exit-with-stdin
                      end when stdin does, as well as at SIGTERM and SIGINT

      --help, --version

    exit: 0 done, 64 bad usage, 71 the system failed, 78 misconfigured.

    """

  private static let control = """
    The control API, on each of the ports; for programs of this machine only:

      GET /pushes?since=SEQ&count=N&wait=SECONDS&last=N&limit=N
                      waits until N match; narrowed by token, kind, topic, type,
                      collapse, status, reason, taken, connection, key and
                      provider=apns|fcm
      GET /pushes/SEQ, /pushes/SEQ.apns[?plain]
      DELETE /pushes  forget pushes, device states and faults
      GET /devices?token=
                      what each device shows now, and duplicates that stand beside
                      each other
      POST /devices/TOKEN
                      TOKEN may be a pattern; any of
        {"state":"registered"|"unregistered"|"expired"|"invalid","since":MS,
         "environment":"sandbox"|"production","topics":["bundle.id"],
         "project":"firebase","online":false,"answers":[ANSWER,…]}
      DELETE /devices/TOKEN
                      forget what was said of it
      POST /faults
        {"answer":ANSWER,"tokens":"ab*","service":"apns"|"fcm"|"oauth",
         "topic":"","pushType":"","percent":10,"seed":1,"after":N,"times":N,
         "perToken":N}
      GET /faults, DELETE /faults, DELETE /faults/ID
      GET /connections
                      open and past ones, how many had pushes, refused streams
      POST /connections
                      {"drop":true} or {"goaway":{…}}, with "connection":N for one
      GET /keys, DELETE /keys/ID, POST /keys
        {"keyId","teamId","environments","topics","publicKey"}
      POST /accounts  {"projectId":"name"}: a service account for another Firebase
                      project
      GET /clock, PUT /clock
                      {"offset":SECONDS} or {"now":"RFC 3339"}
      GET /snapshot, PUT /snapshot
                      everything, to be put back

    ANSWER: "accept", "never", "drop", or an object with one of

        {"status":503,"reason":"ServiceUnavailable","timestamp":MS,
         "retryAfter":SECONDS}
        {"never":true}   {"drop":true}   {"reset":"REFUSED_STREAM"}
        {"goaway":{"reason":"Shutdown","code":0,"skip":N}}
                      skip: the N newest streams

    and "delay":MS, and "taken":true|false for whether the push reaches the device
    all the same.

    """
}
