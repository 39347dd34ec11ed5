/// A function's command line.
struct Arguments: Equatable {
  var mode = Mode.once
  var dryRun = false
  var eventID: String?

  enum Mode: Equatable {
    case once, stream, help, version
  }

  init(_ words: some Sequence<String>) throws(FunctionError) {
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      switch word {
      case "--stream": mode = .stream
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
    guard eventID == nil || mode == .once else {
      throw FunctionError(.usage, "--event-id goes with one event on stdin.")
    }
  }

  static func help(name: String, summary: String) -> String {
    """
    \(summary)

    usage: \(name) [--dry-run] [--event-id ID] < event.json
           \(name) --stream [--dry-run] < events.ndjson

      --dry-run       decide everything, change nothing, and show the result
      --event-id ID   the id for an event that has none
      --stream        read one event per line, and write one
                      {"id","exit","result" or "error"} per line

      --help, --version

    stdin: one JSON document: a CloudEvents 1.0 event, a database webhook's body, or
    a bare payload. stdout: the result, one line of JSON; on a terminal readable.
    stderr: logs, one JSON object a line.
    exit: 0 done, 64-66 bad usage or event, 70 failed, 75 try again later,
    77-78 misconfigured.

    Over HTTP, on AWS Lambda and under other engines it runs with
    "runner host \(name)".

    """
  }
}
