import CLI
import Documents
import FunctionKit
import Glibc
import Manifest
import Terminal

/// `runner test`: plays events of `runner export ID --as-test` on a database of its own, and compares what is decided.
enum TestCommand {
  private static let file = Operand("FILE", "what runner export ID --as-test has printed")

  static let spec = CommandSpec(
    "test", "decide again about exported events, and compare", [file.required.repeated, Reply.option],
    notes: """
      Each event is decided again by a dry run of its function, at its time, on an
      empty PostgreSQL that has the file's rows and is deleted afterwards. Nothing is
      sent, and no other database is touched.
      exit: 0 all as expected, 1 not so, 64 a file is none of these.
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
        let words = ["--dry-run", "--function", test.function, "-"]
        let got = try await database.holding(test.rows) {
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
      throw FunctionError(.usage, "\(file) is no JSON document.")
    }
    return try EventTest(document)
  }
}

extension ReplayDocument {
  /// A line if all is as expected, else two for each person.
  fileprivate var text: String {
    guard !differences.isEmpty else { return "passed  \(file): \(function), \(agreeing) people".onOneCleanLine }
    let lines = differences.map { difference in
      let one = difference.expected ?? difference.got
      let who = "  \(one?.name ?? one?.person.description ?? ""), \(one?.kind ?? "")".onOneCleanLine
      return [who, "  - \(Self.words(difference.expected))", "  + \(Self.words(difference.got))"].joined(
        separator: "\n")
    }
    return
      (["failed  \(file): \(function), \(agreeing) people as expected, \(differences.count) not".onOneCleanLine]
      + lines).joined(separator: "\n")
  }

  private static func words(_ decision: ExpectedDecision?) -> String {
    guard let decision else { return "nothing" }
    let gate = decision.gate.map { "gate \($0)" }
    return [decision.decision.rawValue, decision.reason, gate].compactMap(\.self).joined(separator: ", ").onOneCleanLine
  }
}
