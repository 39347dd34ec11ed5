import Glibc

/// Runs a function as a program: once, or as a stream of events in the warm mode.
enum Harness<F: Function> {
  /// - Parameter batches: handles the lines that are there together, if the runner asks for batches.
  static func run(arguments: [String], batches: Invocation<F>.Batches? = nil) -> Never {
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = try Arguments(arguments.dropFirst())
      switch arguments.mode {
      case .help: write(Arguments.help(name: F.name, summary: F.summary), exit: 0)
      case .version: write("\(F.name) \(bundleVersion)\n", exit: 0)
      case .once: CallingThread.run(endsEarly: F.endsEarly) { await once(arguments) }
      case .stream: CallingThread.run(endsEarly: F.endsEarly) { await stream(arguments, batches) }
      }
    } catch {
      usage(error.message)
    }
  }

  private static func once(_ arguments: Arguments) async -> Never {
    var standardInput = stat()
    // Stdin is closed or a terminal, so the event is missing. To read it would fail obscurely or wait.
    if isatty(STDIN_FILENO) == 1 || fstat(STDIN_FILENO, &standardInput) != 0 {
      usage("no event on stdin; try \(F.name) --help")
    }
    guard let input = StandardStreams.readAll(STDIN_FILENO, limit: Envelope.maximumSize) else {
      finish(.failure(FunctionError(.invalidEvent, "The event is larger than \(Envelope.maximumSize) bytes.")))
    }
    if input.allSatisfy(\.isJSONSpace) {
      usage("no event on stdin; try \(F.name) --help")
    }
    if F.endsEarly { TerminationSignal.install() }
    let invocation = Invocation<F>(dryRun: arguments.dryRun)
    let result = await invocation.outcome(of: input[...], eventID: arguments.eventID).result
    await invocation.end()
    finish(result)
  }

  private static func stream(_ arguments: Arguments, _ batches: Invocation<F>.Batches?) async -> Never {
    let lines = LineReader(STDIN_FILENO, limit: Envelope.maximumSize)
    let invocation = Invocation<F>(dryRun: arguments.dryRun)
    let batches = arguments.dryRun ? nil : batches
    let most = batches == nil ? 1 : Environment.current().batchSize
    while let taken = lines.next(atMost: most) {
      let taken = taken.filter { $0.tooLong || !$0.bytes.allSatisfy(\.isJSONSpace) }
      guard !taken.isEmpty else { continue }
      let isTaken = await invocation.answer(taken, batches) { outcomes in
        StandardStreams.write(outcomes.flatMap(\.line), to: STDOUT_FILENO)
      }
      guard isTaken else {
        await invocation.end()
        exit(FunctionError.Code.outputClosed.exitStatus)
      }
    }
    await invocation.end()
    exit(0)
  }

  private static func finish(_ result: Result<RawJSON, FunctionError>) -> Never {
    switch result {
    case .success(let output):
      write(isatty(STDOUT_FILENO) == 1 ? Array(F.text(of: output).utf8) : output.line, exit: 0)
    case .failure(let error):
      let shown = Environment.current().believesEvents ? error : error.advised
      let document = RawJSON(object: [("error", shown.json)])
      write(document.line, exit: error.code.exitStatus)
    }
  }

  private static func write(_ text: String, exit status: Int32) -> Never {
    write(Array(text.utf8), exit: status)
  }

  private static func write(_ bytes: [UInt8], exit status: Int32) -> Never {
    let written = StandardStreams.write(bytes, to: STDOUT_FILENO)
    exit(written || status != 0 ? status : FunctionError.Code.outputClosed.exitStatus)
  }

  private static func usage(_ sentence: String) -> Never {
    _ = StandardStreams.write(Array("\(F.name): \(sentence)\n".utf8), to: STDERR_FILENO)
    exit(FunctionError.Code.usage.exitStatus)
  }
}
