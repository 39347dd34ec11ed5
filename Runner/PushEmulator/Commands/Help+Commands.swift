import CLI

extension Help {
  static let pushes = Help(
    "pushes", "what the phones got",
    """
    usage: runner pushes [--json] [--follow] [--last N] [--token TOKEN]
                         [--kind KIND]
           runner pushes --apns SEQ [--plain]

      --json          one JSON object a line
      --follow        go on with pushes that arrive, until Ctrl-C
      --last N        how many to begin with (20)
      --token TOKEN   only of these devices; * and ? stand for any text and any
                      character
      --kind KIND     only of this kind
      --apns SEQ      print that push as a file for Xcode's simulator
      --plain         leave out the member that names the app

      --help, --version

    environment: PUSH_EMULATOR_URL, APNS_CA_PATH, which a runner that serves sets
    exit: 0 done, 64 bad usage, 75 the emulator does not answer, 78 misconfigured.
    """)

  static let token = Help(
    "token", "make a provider token, as a sender signs it", called: "push-emulator token",
    """
    usage: push-emulator token [--directory DIR]

      --directory DIR use the key of the emulator that keeps its files there

      --help, --version

    It is for the authorization field, and good for an hour.
    environment, without --directory: APNS_KEY_PATH, APNS_KEY_ID, APNS_TEAM_ID
    exit: 0 done, 64 bad usage, 78 there is no such key.
    """)

  static let serve = Help(
    "serve", "take pushes, and answer as Apple and Google do", called: "push-emulator serve",
    """
    usage: push-emulator serve --directory DIR [options]

      --directory DIR the folder for certificates, keys and pushes; made if it is
                      missing
      --host ADDRESS  the address to listen on (127.0.0.1)
      --port N        the port of APNs' production host; 0 takes a free one (0)
      --sandbox-port N
                      the port of its sandbox host
      --fcm-port N    the port of FCM and of the token endpoint
      --bundle-id ID  push topics that are allowed; may be repeated; all without it
      --keys FILE     more provider keys:
                      {"keys":[{"keyId","teamId","path","environments","topics"}]}
      --strict-tokens refuse device tokens that have no instruction; otherwise they
                      are accepted
      --lenient-provider-tokens
                      accept provider tokens with a DER signature, padded base64,
                      or iat as a string, and warn
      --token-updates connection|team
                      where to count new provider tokens; one is allowed in 20
                      minutes: on a connection, as Apple's page says (the
                      default), or at the host for the whole team
      --max-streams N streams of a connection after its first valid provider token
                      (1,000)
      --clock-file PATH
                      {"offset": SECONDS}: how far the time is ahead of real time;
                      changes of the file are followed
      --keep N        how many pushes are kept (50,000)
      --exit-with-stdin
                      end at the end of stdin, and at SIGTERM and SIGINT

      --help, --version

    It takes them over HTTP/2 and TLS. When it is ready it prints one line of JSON
    with the environment for senders: APNS_URL (production), APNS_SANDBOX_URL,
    FCM_URL, the authority to trust, a provider key and a service account.
    exit: 0 done, 64 bad usage, 70 the system failed, 78 misconfigured.

    The control API, on each of the ports, for all who reach the address of --host:

      GET /pushes?since=SEQ&count=N&wait=SECONDS&last=N&limit=N
                      waits until N match; narrowed by token, kind, topic, type,
                      collapse, status, reason, taken, connection, key and
                      provider=apns|fcm
      GET /pushes/SEQ, /pushes/SEQ.apns[?plain]
      DELETE /pushes  forget pushes, device states and faults
      GET /devices?token=
                      the screen of each device, and duplicates on it
      POST /devices/TOKEN
                      TOKEN may be a pattern; any of
        {"state":"registered"|"unregistered"|"expired"|"invalid","since":MS,
         "environment":"sandbox"|"production","topics":["bundle.id"],
         "project":"firebase","online":false,"answers":[ANSWER,…]}
      DELETE /devices/TOKEN
                      forget its instructions
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
                      the whole state, to restore it

    ANSWER: "accept", "never", "drop", or an object with one of

        {"status":503,"reason":"ServiceUnavailable","timestamp":MS,
         "retryAfter":SECONDS}
        {"never":true}   {"drop":true}   {"reset":"REFUSED_STREAM"}
        {"goaway":{"reason":"Shutdown","code":0,"skip":N}}
                      skip: the N newest streams

    and "delay":MS, and "taken":true|false: whether the push reaches the device in
    any case.
    """)
}
