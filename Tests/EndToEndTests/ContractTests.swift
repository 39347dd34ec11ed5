import Foundation
import FunctionKit
import TestSupport
import Testing

/// The contract of a function, shown on the built Echo and on one that needs a database.
@Suite(.heavy)
struct ContractTests {
  private func echo(_ arguments: String..., stdin: String = "") async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run("echo", arguments, stdin: stdin)
  }

  private func shell(_ script: String, environment: [String: String] = [:]) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "/bin/bash", ["-c", script],
      environment: environment.merging(["PATH": "\(BuiltExecutables.directory):/usr/bin:/bin"]) { given, _ in given })
  }

  @Test func oneEventInOneLineOut() async throws {
    let outcome = try await echo(stdin: "{\n \"a\" : 1\n}\n")

    #expect(outcome.exit == 0)
    #expect(outcome.stdout.split(separator: "\n").count == 1)
    #expect(try RawJSON(validating: Array(outcome.stdout.utf8)[...])["data"]?["a"]?.intValue == 1)
    #expect(outcome.stderr.isEmpty)
  }

  @Test(arguments: [
    "\(path) < /dev/null", "\(path) <&-", "printf ' \\n' | \(path)", "printf '\\xEF\\xBB\\xBF\\n' | \(path)",
  ])
  func withoutAnEventItSaysHowItIsUsed(_ script: String) async throws {
    let outcome = try await shell(script)

    #expect(outcome.exit == 64)
    #expect(outcome.stderr == "echo: no event on stdin; try echo --help\n")
    #expect(outcome.stdout.isEmpty)
  }

  @Test func aByteOrderMarkBeforeAnEventIsIgnored() async throws {
    let (mark, path) = (#"\xEF\xBB\xBF"#, Self.path)
    let once = try await shell(#"printf '\#(mark){"a":1}' | \#(path)"#)
    let stream = try await shell(#"printf '\#(mark){"a":1}\n\#(mark)\n\#(mark){"a":2}\n' | \#(path) --stream"#)

    #expect(try RawJSON(validating: Array(once.stdout.utf8)[...])["data"]?["a"]?.intValue == 1)
    let answers = try stream.stdout.split(separator: "\n").map { try RawJSON(validating: Array($0.utf8)[...]) }
    #expect(answers.map { $0["result"]?["data"]?["a"]?.intValue } == [1, 2])
  }

  @Test func anEventOverTheLimitIsRefused() async throws {
    let outcome = try await echo(stdin: "\"" + String(repeating: "a", count: Envelope.maximumSize) + "\"")

    #expect(outcome.exit == 65)
    #expect(outcome.stdout.contains("larger than 1048576 bytes"))
  }

  @Test func aMalformedEventIsRefusedWithASentence() async throws {
    let outcome = try await echo(stdin: "{\"a\":")

    #expect(outcome.exit == 65)
    #expect(
      outcome.stdout
        == #"{"error":{"code":"INVALID_EVENT","message":"The event is not valid JSON: the text ends too early at byte 5."}}"#
        + "\n")
    #expect(try RawJSON(validating: Array(outcome.stderr.utf8)[...])["error.code"]?.stringValue == "INVALID_EVENT")
  }

  @Test(arguments: [
    ("a closed stdout is an error", "(\(path) < <(printf '{}') >&-); printf $?", "74"),
    (
      "a reader that leaves ends a stream",
      "yes '{}' | \(path) --stream | head -n 1 > /dev/null; printf ${PIPESTATUS[1]}", "74"
    ),
    (
      "SIGTERM ends a stream cleanly",
      """
      coproc \(path) --stream
      printf '{}\\n' >&${COPROC[1]}; read -r line <&${COPROC[0]}
      kill -TERM $COPROC_PID; wait $COPROC_PID; printf $?
      """, "0"
    ),
  ])
  func itEndsWithAStatusAndDoesNotCrash(_ name: String, script: String, status: String) async throws {
    #expect(try await shell(script).stdout == status)
  }

  @Test func aStreamAnswersEachLineInOrder() async throws {
    let row = #"{"type":"INSERT","table":"t","schema":"public","record":{},"old_record":null}"#
    let outcome = try await echo("--stream", stdin: "{\"n\":1}\nnonsense\n\n\(row)\n{\"n\":2}")

    let answers = try outcome.stdout.split(separator: "\n").map { try RawJSON(validating: Array($0.utf8)[...]) }
    #expect(outcome.exit == 0)
    #expect(answers.map { $0["exit"]?.intValue } == [0, 65, 0, 0])
    #expect(answers[1]["error"]?["message"]?.stringValue?.contains("not valid JSON") == true)
    #expect(answers[2]["id"]?.stringValue == SHA256.hex(Array(row.utf8)))
    #expect(answers[3]["result"]?["data"]?["n"]?.intValue == 2)
  }

  @Test func aLineOverTheLimitDoesNotHarmTheNext() async throws {
    let long = String(repeating: "a", count: Envelope.maximumSize * 2)
    let outcome = try await echo("--stream", stdin: "\(long)\n{\"n\":1}\n")

    let answers = try outcome.stdout.split(separator: "\n").map { try RawJSON(validating: Array($0.utf8)[...]) }
    #expect(answers.map { $0["exit"]?.intValue } == [65, 0])
  }

  @Test func theGivenIDIsTaken() async throws {
    #expect(try await echo("--event-id", "mine", stdin: "{}").stdout.contains(#""id":"mine""#))
  }

  @Test func unknownArgumentsAreBadUsage() async throws {
    let outcome = try await echo("--nonsense", stdin: "{}")

    #expect(outcome.exit == 64)
    #expect(outcome.stderr.hasPrefix("echo: Unknown argument --nonsense"))
  }

  @Test func aFunctionWithoutADatabaseSaysWhatToSet() async throws {
    let outcome = try await shell("cd / && vote-cast < '\(House.root.path)/Tests/Events/vote-cast.json'")

    #expect(outcome.exit == 78)
    #expect(outcome.stdout.contains("DATABASE_URL"))
  }

  @Test func aDatabaseThatIsAwayIsToBeTriedLater() async throws {
    let outcome = try await shell(
      "vote-cast < '\(House.root.path)/Tests/Events/vote-cast.json'",
      environment: ["DATABASE_URL": "postgresql://nobody:secret@127.0.0.1:1/nowhere"])

    #expect(outcome.exit == 75)
    #expect(!outcome.stdout.contains("secret") && !outcome.stderr.contains("secret"))
  }

  @Test func aMissingKeyOfAppleIsNamed() async throws {
    let outcome = try await BuiltExecutables.run(
      "push-delivery", stdin: "{}", environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/nowhere"])

    #expect(outcome.exit == 78)
    #expect(outcome.stdout.contains("APNS_KEY_ID"))
  }

  /// The text as a shell takes it, no matter what the folder is called.
  static let path = "'\(BuiltExecutables.path(of: "echo"))'"
}
