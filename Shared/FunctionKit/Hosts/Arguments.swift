/// A function's command line.
struct Arguments: Equatable {
  var mode = Mode.once
  var dryRun = false
  var eventID: String?
  /// How many calls may be handled at the same time.
  var concurrency: Int?
  /// Whether other machines may call though nothing is checked.
  var isOpen = false

  enum Mode: Equatable {
    case once, stream, help, version
    /// Where to listen: `PORT` or `ADDRESS:PORT`, if it was said.
    case http(String?)
  }

  init(_ words: some Sequence<String>) throws(FunctionError) {
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      switch word {
      case "--stream": try choose(.stream)
      case "--http":
        let place = rest.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
        if place != nil { rest.removeFirst() }
        try choose(.http(place))
      case "--concurrency":
        guard let count = rest.popFirst().flatMap({ Int($0) }), 1...HTTPSettings.mostConcurrent ~= count else {
          throw FunctionError(.usage, "--concurrency takes a number from 1 to \(HTTPSettings.mostConcurrent).")
        }
        concurrency = count
      case "--open": isOpen = true
      case "--dry-run": dryRun = true
      case "--event-id":
        guard let id = rest.popFirst(), !id.isEmpty else { throw FunctionError(.usage, "--event-id takes an id.") }
        eventID = id
      case "--help", "-h": mode = .help
      case "--version": mode = .version
      default: throw FunctionError(.usage, "Unknown argument \(word); see --help.")
      }
      if mode == .help || mode == .version { return }
    }
  }

  private mutating func choose(_ mode: Mode) throws(FunctionError) {
    guard self.mode == .once else { throw FunctionError(.usage, "Choose one of --stream and --http, once.") }
    self.mode = mode
  }

  static func help(name: String, summary: String) -> String {
    """
    \(summary)

    usage: \(name) [--dry-run] [--event-id ID] < event.json
           \(name) --stream [--dry-run] < events.ndjson
           \(name) --http [[ADDRESS:]PORT] [--open] [--concurrency N] [--dry-run]

      --dry-run       decide everything, change nothing, and show the result
      --event-id ID   the id for an event that has none
      --stream        read one event per line, and write one
                      {"id","exit","result" or "error"} per line
      --http          serve HTTP, on 127.0.0.1 and PORT, or 8080, unless given
      --open          ADDRESS may be another one, which other machines can reach:
                      nothing checks who calls, so something in front has to
      --concurrency N handle N calls at the same time, 1 unless given;
                      one more gets 429

      --help, --version

    stdin: one JSON document: a CloudEvents 1.0 event, a database webhook's body, or
    a bare payload. stdout: the result, one line of JSON; on a terminal readable.
    stderr: logs, one JSON object a line.
    exit: 0 done, 64-66 bad usage or event, 70 failed, 75 try again later,
    77-78 misconfigured.

    Without --stream and --http, the function looks at what runs it: with
    AWS_LAMBDA_RUNTIME_API it asks AWS Lambda for events, with K_SERVICE and PORT
    (Knative, Cloud Run) it serves HTTP on 0.0.0.0, and with Http_Method (the
    watchdogs of OpenFaaS) stdin is the body of a request.

    """
  }
}
