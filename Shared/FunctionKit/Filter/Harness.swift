import Glibc
import Terminal

/// Runs a function as a program: a filter of one event, or of many.
enum Harness<F: Function> {
  /// - Parameter batches: handles the lines that are there together, if the runner asks for batches.
  static func run(arguments: [String], batches: Invocation<F>.Batches? = nil) -> Never {
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = try Arguments(arguments.dropFirst())
      switch arguments.mode {
      case .help: write(Arguments.help(name: F.name, summary: F.summary), exit: 0)
      case .version: write("\(F.name) \(bundleVersion)\n", exit: 0)
      case .once, .stream: break
      }
      let environment = Environment.current()
      _ = try LogLevel.from(environment)
      CallingThread.run(endsEarly: F.endsEarly) {
        switch arguments.mode {
        case .stream: await stream(batches, arguments.dryRun, environment)
        case .once, .help, .version: await once(arguments.eventID, arguments.dryRun, environment)
        }
      }
    } catch {
      refuse(error.message, exit: error.code.exitStatus)
    }
  }

  private static func once(_ eventID: String?, _ dryRun: Bool, _ environment: Environment) async -> Never {
    var standardInput = stat()
    // Stdin is closed or a terminal, so the event is missing. To read it would fail obscurely or wait.
    if isatty(STDIN_FILENO) == 1 || fstat(STDIN_FILENO, &standardInput) != 0 {
      refuse("no event on stdin; try \(F.name) --help")
    }
    guard let input = StandardStreams.readAll(STDIN_FILENO, limit: Envelope.maximumSize) else {
      finish(.failure(FunctionError(.invalidEvent, "The event is larger than \(Envelope.maximumSize) bytes.")))
    }
    if input.withoutByteOrderMark.allSatisfy(\.isJSONSpace) {
      refuse("no event on stdin; try \(F.name) --help")
    }
    if F.endsEarly { TerminationSignal.install() }
    let invocation = Invocation<F>(dryRun: dryRun, environment: environment)
    let result = await invocation.run(input[...], eventID: eventID).result
    await invocation.end()
    finish(result)
  }

  private static func stream(
    _ batches: Invocation<F>.Batches?, _ dryRun: Bool, _ environment: Environment
  ) async -> Never {
    let lines = LineReader(STDIN_FILENO, limit: environment.largestEvent)
    let invocation = Invocation<F>(dryRun: dryRun, environment: environment)
    let batches = dryRun ? nil : batches
    let most = batches == nil ? 1 : environment.batchSize
    while true {
      await next()
      // A thread that waits can do nothing else, so only the calling thread waits long for a line to begin.
      guard let thread = invocation.thread else { continue }
      await withTaskExecutorPreference(thread) {
        while lines.hasInput(within: 1000) { await next() }
      }
    }

    /// Answers the next lines, or ends the process after the last.
    func next() async {
      guard let taken = lines.next(atMost: most) else { await end(0) }
      let events = taken.filter { $0.tooLong || !$0.bytes.withoutByteOrderMark.allSatisfy(\.isJSONSpace) }
      let areTaken = await invocation.answer(events, batches) { outcomes in
        StandardStreams.write(outcomes.flatMap(\.line), to: STDOUT_FILENO)
      }
      if !areTaken { await end(FunctionError.Code.outputClosed.exitStatus) }
    }

    func end(_ status: Int32) async -> Never {
      await invocation.end()
      _exit(status)
    }
  }

  private static func finish(_ result: Outcome.Verdict) -> Never {
    switch result {
    case .success(let output):
      write(isatty(STDOUT_FILENO) == 1 ? F.text(of: output) : "\(output.onOneLine.printable)\n", exit: 0)
    case .failure(let error):
      let shown = Environment.current().believesEvents ? error : error.advised
      let document = RawJSON(object: [("error", shown.json)])
      write("\(document.printable)\n", exit: error.code.exitStatus)
    }
  }

  /// Writes the last of the process's output.
  private static func write(_ text: String, exit status: Int32) -> Never {
    let written = StandardStreams.write(Array(text.printable.utf8), to: STDOUT_FILENO)
    _exit(written || status != 0 ? status : FunctionError.Code.outputClosed.exitStatus)
  }

  private static func refuse(_ sentence: String, exit status: Int32 = FunctionError.Code.usage.exitStatus) -> Never {
    _ = StandardStreams.write(Array("\(F.name): \(sentence.onOneCleanLine)\n".utf8), to: STDERR_FILENO)
    _exit(status)
  }
}

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

extension Function {
  /// Runs the function as a program.
  package static func main() {
    Harness<Self>.run(arguments: CommandLine.arguments)
  }
}

extension BatchFunction {
  /// Runs the function as a program.
  package static func main() {
    Harness<Self>.run(arguments: CommandLine.arguments) { function, batch in try await function.handle(batch) }
  }
}
