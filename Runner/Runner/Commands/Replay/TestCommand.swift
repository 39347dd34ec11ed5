import CLI
import Documents
import FunctionKit
import Glibc
import Manifest
import Terminal

/// `runner test`: plays events of `runner export ID --as-test` on a database of its own, and compares what is decided.
enum TestCommand {
  /// More than a test expects, so that others are seen.
  private static let most = 2 * ExpectedDecision.most
  private static let file = Operand("FILE", "what runner export ID --as-test has printed")

  static let spec = CommandSpec(
    "test", "decide again about exported events, and compare", [file.required.repeated, Reply.option],
    notes: """
      Each event is decided again by a dry run of its function, at its time, on an
      empty PostgreSQL that has the file's rows and is deleted afterwards. Nothing is
      sent, and no other database is touched.
      exit: 0 all as expected, 1 not so, 65 a file is broken or of a newer version.
      """, run: { try await run($0) })

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let tests = try arguments.operands.map { (file: $0, test: try test(in: $0)) }
    let project = context.project
    for (_, test) in tests where project.manifest[test.function] == nil { throw project.manifest.lacks(test.function) }
    let results = try await ReplayDatabase.with(project) { database in
      let explanation = try Explanation(project, database: database.url)
      var results: [ReplayDocument] = []
      for (file, test) in tests {
        let words = ["--dry-run", "--function", test.function, "--count", "\(Self.most)", "-"]
        let got = try await database.holding(test.rows, of: file) {
          try await explanation.ask(words, input: test.input).handlings.flatMap(\.people)
        }
        results.append(
          ReplayDocument(
            file: file, function: test.function, expected: test.expected, got: got.map(ExpectedDecision.init)))
      }
      return results
    }
    _ = try context.answer(results, text: results.map(\.text).joined(separator: "\n"))
    return results.allSatisfy(\.differences.isEmpty) ? 0 : 1
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
    guard !differences.isEmpty else { return "passed  \(file): \(function), \(agreeing) people".onOneCleanLine }
    let head = "failed  \(file): \(function), \(agreeing) people as expected, \(differences.count) not"
    return ([head] + differences.map(\.line)).map(\.onOneCleanLine).joined(separator: "\n")
  }
}

extension ReplayDocument.Difference {
  fileprivate var line: String {
    let one = expected ?? got
    let who = "\(one?.name ?? one?.person.description ?? ""), \(one?.kind ?? "")"
    return "  \(who): expected \(expected?.words ?? "nothing"), got \(got?.words ?? "nothing")"
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
