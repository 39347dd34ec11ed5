import CLI
import FunctionKit

/// Serves until a signal ends it.
enum ServeCommand {
  static let spec = CommandSpec(
    "serve", "take pushes, and answer as Apple and Google do", called: "push-emulator serve", ServeOptions.form,
    notes: """
      It takes them over HTTP/2 and TLS. When it is ready it prints one line of JSON
      with the environment for senders: APNS_URL (production), APNS_SANDBOX_URL,
      FCM_URL, the authority to trust, a provider key and a service account.
      exit: 0 done, 64 bad usage, 70 the system failed, 78 misconfigured.

      The control API, on each of the ports, for all who reach the address of --host:

        GET /pushes?since=SEQ&count=N&wait=SECONDS&last=N&limit=N
                        waits until N match; narrowed by token, kind, topic, type,
                        collapse, channel, status, reason, taken, connection, key and
                        provider=apns|fcm
        GET /pushes/SEQ, /pushes/SEQ.apns[?plain]
        DELETE /pushes  forget pushes, device states and faults
        GET /devices?token=&last=N&notes=N
                        the screen of each device, and duplicates on it; token may
                        be given several times; last: only the N with the newest
                        pushes; notes: of each the N newest, and "others" counts
                        the rest
        POST /devices/TOKEN
                        TOKEN may be a pattern; any of
          {"state":"registered"|"unregistered"|"expired"|"invalid","since":MS,
           "environment":"sandbox"|"production","topics":["bundle.id"],
           "project":"firebase","online":false,"answers":[ANSWER,…]}
        DELETE /devices/TOKEN
                        forget its instructions
        POST /activities
                        {"device":TOKEN,"type":"NAME"}: the token that an app of the
                        device gets to start Live Activities of that type
        GET /activities?token=
                        the Live Activities: the token for updates, the state, and
                        whether each is active, stale, ended or dismissed; "ignored"
                        says why a phone has ignored a push
        GET /channels   the broadcast channels, and how many activities listen
        POST /faults
          {"answer":ANSWER,"tokens":"ab*","service":"apns"|"fcm"|"oauth"|
           "channels","topic":"","pushType":"","percent":10,"seed":1,"after":N,
           "times":N,"perToken":N}
                        oauth and channels: the requests for access tokens and those
                        that manage channels, hit only by faults that name them
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
      """, run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let options = try ServeOptions(arguments)
    let log = Log(["program": "push-emulator"])
    let ending = try Ending(withStdin: options.exitsWithStdin)
    let server = try await EmulatorServer.start(options, log: log)
    let ready = JSONText.object(["ready": Array("true".utf8), "environment": Array(server.environment.bytes)])
    TerminalWriter.say(String(decoding: ready, as: UTF8.self))
    log.info("Ready")
    try await ending.wait()
    await server.stop()
    log.info("Stopped")
    return 0
  }
}
