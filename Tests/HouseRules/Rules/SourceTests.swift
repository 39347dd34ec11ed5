import Testing

/// The rules for the words of sources.
struct SourceTests {
  static let shipped = ["Functions", "Shared", "Runner"]

  @Test func nothingThatShipsImportsAllOfFoundation() throws {
    for file in Self.shipped.flatMap(House.swiftFiles) {
      let text = try House.text(file)
      let lines = text.has("canImport(FoundationEssentials)") ? [] : text.lines(with: "import Foundation")
      #expect(!lines.contains { $0.hasSuffix("import Foundation") }, "\(file)")
    }
  }

  /// Else its failure would be nobody's: a task is kept or waited for, hops to the loop, or is a `BackgroundTask`.
  @Test func noTaskOfTheRunnerIsLeftAlone() throws {
    let (task, safe) = (/\bTask(\.detached|\.immediate)? *[({]/, /=.*\bTask|Task \{ @RunnerLoop in [^;{}]+ \}/)
    let parts = try House.declarations("part").map(\.name) + ["Runner"]
    for file in parts.flatMap({ House.swiftFiles("Runner/\($0)") }) where !file.hasSuffix("/BackgroundTask.swift") {
      for line in try House.text(file).lines(with: "Task") where line.contains(task) {
        #expect(line.contains(safe), "\(file): \(line)")
      }
    }
  }

  /// Else a program that is started meanwhile keeps it open: nobody sees that a pipe or a connection has ended.
  @Test func whatIsOpenedIsClosedOnExec() throws {
    let opened = /\bpipe\(&|\baccept\(\w+, nil|\bO_(RDONLY|WRONLY|RDWR)\b|\bSOCK_(STREAM|DGRAM)\b/
    for file in (Self.shipped + ["Tests"]).flatMap(House.swiftFiles) {
      for line in try House.text(file).lines(with: "pipe(", "accept(", "O_", "SOCK_") where line.contains(opened) {
        // A child opens its own streams, and one test leaves a descriptor open on purpose.
        let safe = ["CLOEXEC", "_addopen(", "let forgotten = open(", "let opened = /"]
        #expect(safe.contains { line.has($0) }, "\(file): \(line)")
      }
    }
  }

  /// A process that has done its work could crash at its end.
  ///
  /// The clean-up of libraries, which `exit` runs, takes from other threads what they still use. Everything is written
  /// before, and nothing waits in a buffer.
  @Test func processesEndWithoutTheCleanUpOfLibraries() throws {
    let ended = /(?:^|[^._a-zA-Z])(?:Glibc\.)?exit\(/
    for file in Self.shipped.flatMap(House.swiftFiles) {
      for line in try House.text(file).lines(with: "exit(") { #expect(!line.contains(ended), "\(file): \(line)") }
    }
  }

  /// No test may put the machine's clock forward or back; but a clock that is never read cannot do harm.
  @Test(arguments: ["HTTP2", "EventLoop"]) func noWaitGoesByAClockThatJumps(_ module: String) throws {
    let jumping = ["CLOCK_REALTIME", "gettimeofday", "Date(", "Date.now", "time(nil", "DispatchWallTime"]
    let files = House.swiftFiles("Shared/\(module)")

    #expect(files.count > 3)
    for file in files {
      let text = try House.text(file)
      #expect(jumping.filter(text.has) == [], "\(file)")
    }
  }

  /// They are only added to.
  ///
  /// No trigger guards that: foreign keys and pruning have to change them.
  @Test(arguments: ["push_notification_logs", "notification_interactions"])
  func noStatementChangesTheLogOrTheInteractions(_ table: String) throws {
    let update = "update \(table)"
    for folder in Self.shipped {
      let files = House.files(folder).filter { $0.hasSuffix(".swift") || $0.hasSuffix(".sql") }
      #expect(!files.isEmpty)
      for file in files {
        let lines = try House.text("\(folder)/\(file)").lines(with: table)
        #expect(!lines.contains { $0.lowercased().has(update) }, "\(file)")
      }
    }
  }
}
