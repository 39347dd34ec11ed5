/// The text of `push-emulator --help`.
let helpText = """
  APNs as a sender sees it, for development and tests. Nothing leaves this machine.

  usage: push-emulator serve --directory DIR [--port N] [--host ADDRESS] [--bundle-id ID]… [--exit-with-stdin]
         push-emulator pushes [--json] [--follow] [--last N]

  serve: takes pushes over HTTP/2 and TLS. Prints one line of JSON with the environment for senders when it is ready.
    --directory DIR     where certificates, the provider key and the pushes are kept; made where missing
    --port N            the port; 0, the default, takes a free one
    --host ADDRESS      the address to listen on; 127.0.0.1 by default
    --bundle-id ID      push topics that are allowed; all without it
    --exit-with-stdin   end when stdin does, as well as at SIGTERM and SIGINT

  pushes: what the phones got, oldest first. Reads PUSH_EMULATOR_URL and APNS_CA_PATH.
    --json              one JSON object a line
    --follow            go on with what arrives, until Ctrl-C
    --last N            how many to begin with; 20 by default

    --help, --version   this text, the version

  control API, on the same port:
    GET    /pushes?since=SEQ&token=&kind=&last=N&limit=N&wait=SECONDS
    GET    /devices?token=                 what each device shows now
    POST   /devices/TOKEN                  {"state":"unregistered","since":MS}, {"state":"registered"} or
                                           {"answers":[{"status":503,"reason":"ServiceUnavailable"},"never","drop"]}
    DELETE /pushes                         forget pushes and device states

  exit: 0 done, 64 bad usage, 71 the system failed, 75 the emulator does not answer, 78 misconfigured.

  """
