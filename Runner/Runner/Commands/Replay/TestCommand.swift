import CLI
import Documents
import FunctionKit
import Glibc
import Manifest
import System
import Terminal

/// `runner test`: plays events of `runner export ID --as-test` on a database of its own, and compares what is decided.
enum TestCommand {
  /// More than a test expects, so that others are seen.
  private static let most = 2 * ExpectedDecision.most
  /// The exit status after a signal.
  private static let interrupted: Int32 = 130
  private static let file = Operand("FILE", "what runner export ID --as-test has printed")

  static let spec = CommandSpec(
    "test", "decide again about exported events, and compare", [file.required.repeated, Reply.option],
    notes: """
      Each event is decided again by a dry run of its function, at its time, on an
      empty PostgreSQL that has the file's rows and is deleted afterwards. Nothing is
      sent, and no other database is touched.
      exit: 0 all as expected, or not to be compared, 1 not so, 64 a function cannot
      be played, 65 a file is broken or of another version, 66 a file cannot be read,
      78 no PostgreSQL or no explain panel.
      """, run: { try await run($0) })

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let tests = try arguments.operands.map { (file: $0, test: try test(in: $0)) }
    try Explanation.check(tests.map(\.test.function), context.project)
    let work = Task { try await play(tests, context.project) }
    // What was started has to be stopped.
    await Signals.watch { work.cancel() }
    let results: [ReplayDocument]
    let problems: [FunctionError]
    do { (results, problems) = try await work.value } catch {
      guard work.isCancelled else { throw error }
      return interrupted
    }
    if !results.isEmpty || problems.isEmpty {
      _ = try context.answer(results, text: results.map(\.text).joined(separator: "\n"))
    }
    if let first = problems.first {
      throw FunctionError(first.code, problems.map(\.message).joined(separator: " "), cause: first)
    }
    return results.allSatisfy(\.differences.isEmpty) ? 0 : 1
  }

  /// - Returns: what came of the files that could be played, and why others could not.
  private static func play(
    _ tests: [(file: String, test: EventTest)], _ project: Project
  ) async throws -> (results: [ReplayDocument], problems: [FunctionError]) {
    try await ReplayDatabase.with(project) { database in
      var (results, problems): ([ReplayDocument], [FunctionError]) = ([], [])
      for (file, test) in tests {
        let words = ["--dry-run", "--function", test.function, "--count", "\(most)", "-"]
        do {
          try Task.checkCancellation()
          let got = try await database.holding(test.rows, of: file) { url in
            try await Explanation(project, of: test.function, database: url).ask(words, input: test.input).handlings
              .flatMap(\.people)
          }
          results.append(
            ReplayDocument(
              file: file, function: test.function, expected: test.expected, got: got.map(ExpectedDecision.init),
              doubts: test.doubts))
        } catch let error as FunctionError {
          problems.append(error)
        }
      }
      return (results, problems)
    }
  }

  private static func test(in file: String) throws(FunctionError) -> EventTest {
    let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let bytes = StandardStreams.readAll(descriptor) else {
      throw FunctionError(.noInput, "\(file) cannot be read.")
    }
    if descriptor != STDIN_FILENO { close(descriptor) }
    guard let document = try? RawJSON(validating: bytes[...]) else {
      throw FunctionError(.invalidEvent, "\(file) is broken: it is no JSON document.")
    }
    return try EventTest(document, in: file)
  }
}

extension ReplayDocument {
  /// A line, and one more for each person about whom it was decided otherwise.
  fileprivate var text: String {
    let others = [(differences.count, "not"), (incomparable.count, "not to be compared")].filter { $0.0 > 0 }
    let counts = (["\(agreeing) decisions as expected"] + others.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
    let head = "\(differences.isEmpty ? "passed" : "failed")  \(file): \(function), \(counts)"
    return ([head] + (differences + incomparable).map(\.line)).map(\.onOneCleanLine).joined(separator: "\n")
  }
}

extension ReplayDocument.Difference {
  fileprivate var line: String {
    let one = expected ?? got
    let who = "\(one?.name ?? one?.person.description ?? ""), \(one?.kind ?? "")"
    let what = "expected \(expected?.words ?? "nothing"), got \(got?.words ?? "nothing")"
    return "  \(who): \(doubt.map { "cannot be compared: \($0): " } ?? "")\(what)"
  }
}

extension ExpectedDecision {
  /// Such as `told`, `held until 2026-08-02 13:04:05Z (quiet_hours)`, `not told (project_muted, gate muted)`.
  fileprivate var words: String {
    let why = [reason, gate.map { "gate \($0)" }].compactMap(\.self).joined(separator: ", ")
    let end = until.map { " until \(TimeText.of($0))" } ?? ""
    return switch decision {
    case .notify: "told"
    case .hold: "held\(end) (\(why))"
    case .suppress: "not told (\(why))"
    case .merge, .summarize: "\(decision.rawValue) (\(why))"
    }
  }
}
