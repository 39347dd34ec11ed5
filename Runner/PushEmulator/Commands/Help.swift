/// The text of `push-emulator --help`.
let helpText = """
  APNs and FCM as a sender sees them, for development and tests. Nothing leaves this machine.

  usage: push-emulator serve --directory DIR [options]
         push-emulator pushes [--json] [--follow] [--last N] [--token TOKEN] [--kind KIND]
         push-emulator pushes --apns SEQ [--plain]

  serve: takes pushes over HTTP/2 and TLS. Prints one line of JSON with the environment for senders when it is ready:
  APNS_URL (production), APNS_SANDBOX_URL, FCM_URL, the authority to trust, a provider key and a service account.
    --directory DIR     where certificates, keys and the pushes are kept; made where missing
    --host ADDRESS      the address to listen on; 127.0.0.1 by default
    --port N            the port of APNs' production host; 0, the default, takes a free one
    --sandbox-port N    that of its sandbox host
    --fcm-port N        that of FCM and of the token endpoint
    --bundle-id ID      push topics that are allowed; may be repeated; all without it
    --keys FILE         more provider keys: {"keys":[{"keyId","teamId","path","environments","topics"}]}
    --strict-tokens     device tokens about which nothing was said are bad; they are good otherwise
    --lenient-provider-tokens   take provider tokens with a DER signature, padded base64, or iat as a string; warns
    --token-updates connection|team   where a second provider token within 20 minutes is one too many: on a
                        connection, as Apple's page has it (the default), or at the host for the whole team
    --max-streams N     streams of a connection once a valid provider token has come by it; 1,000 by default
    --clock-file PATH   {"offset": SECONDS}: how far the time is ahead of real time; followed as it changes
    --keep N            how many pushes are kept; 50,000 by default
    --exit-with-stdin   end when stdin does, as well as at SIGTERM and SIGINT

  pushes: what the phones got, oldest first. Reads PUSH_EMULATOR_URL and APNS_CA_PATH.
    --json              one JSON object a line
    --follow            go on with what arrives, until Ctrl-C
    --last N            how many to begin with; 20 by default
    --token TOKEN       only of these devices; * and ? stand for any text and any character
    --kind KIND         only of this kind
    --apns SEQ          print that push as a file that Xcode's simulator takes
    --plain             without the member that names the app

    --help, --version   this text, the version

  control API, on each of the ports; for programs of this machine only:
    GET    /pushes?since=SEQ&count=N&wait=SECONDS&last=N&limit=N
             &token=&kind=&topic=&type=&collapse=&status=&reason=&taken=&connection=&provider=apns|fcm&key=
                                           waits until N match
    GET    /pushes/SEQ, /pushes/SEQ.apns[?plain]
    DELETE /pushes                         forget pushes, device states and faults
    GET    /devices?token=                 what each device shows now, and duplicates that stand beside each other
    POST   /devices/TOKEN                  TOKEN may be a pattern; any of
             {"state":"registered"|"unregistered"|"expired"|"invalid","since":MS,"environment":"sandbox"|"production",
              "topics":["bundle.id"],"project":"firebase","online":false,"answers":[ANSWER,…]}
    DELETE /devices/TOKEN                  forget what was said of it
    POST   /faults                         {"answer":ANSWER,"tokens":"ab*","service":"apns"|"fcm"|"oauth","topic":"",
             "pushType":"","percent":10,"seed":1,"after":N,"times":N,"perToken":N}
    GET    /faults, DELETE /faults, DELETE /faults/ID
    GET    /connections                    open and past ones, how many had pushes, refused streams
    POST   /connections                    {"drop":true} or {"goaway":{…}}, with "connection":N for one
    GET    /keys, POST /keys {"keyId","teamId","environments","topics","publicKey"}, DELETE /keys/ID
    POST   /accounts                       {"projectId":"name"}: a service account for another Firebase project
    GET    /clock, PUT /clock              {"offset":SECONDS} or {"now":"RFC 3339"}
    GET    /snapshot, PUT /snapshot        everything, to be put back

  ANSWER: "accept", "never", "drop", or an object with one of
      {"status":503,"reason":"ServiceUnavailable","timestamp":MS,"retryAfter":SECONDS}   {"never":true}  {"drop":true}
      {"reset":"REFUSED_STREAM"}   {"goaway":{"reason":"Shutdown","code":0,"skip":N}} (skip: the N newest streams)
    and "delay":MS, and "taken":true|false for whether the push reaches the device all the same.

  exit: 0 done, 64 bad usage, 71 the system failed, 75 the emulator does not answer, 78 misconfigured.

  """
