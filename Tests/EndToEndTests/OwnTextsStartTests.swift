import Foundation
import FunctionKit
import TestSupport
import Testing

/// The complaints of a start about lines of the app's own texts that nobody would be told.
@Suite(.heavy)
struct OwnTextsStartTests {
  private static let doctor = #""doctor push":{"executable":"push","arguments":["doctor"]},"#
  /// No start gets past it: it exits with 75 unless something was refused before.
  private static let nowhere = ["DATABASE_URL": "postgresql:///x?host=/nonexistent"]

  private func project(
    _ text: String, doctor: String = doctor, functions: String = ""
  ) throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    try folder.write(text, to: "de.strings")
    try folder.write(
      #"{"languages":".","functions":{\#(functions)},"commands":{\#(doctor)"demo":{"executable":"demo"}}}"#,
      to: "functions.json")
    return folder
  }

  private func run(_ words: [String], in folder: TemporaryDirectory) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run("runner", words + ["--project", folder.path], environment: Self.nowhere)
  }

  private static let serve = ["serve", "--port", "0", "--wait", "0"]

  @Test(arguments: [serve, ["up", "--database", "--port", "0", "--wait", "0"]])
  func aNameThatNoTextHasIsRefusedByItsLineWithTheNearestOne(words: [String]) async throws {
    let folder = try project("page.on.title = Aus?\npage.on.titel = Aus?\npage.xyzzy = x\n")

    let outcome = try await run(words, in: folder)

    #expect(outcome.exit == 78, "\(outcome)")
    let sentence = """
      In ., which is "languages" of functions.json, de.strings:2 has page.on.titel, which is no text's name \
      (did you mean page.on.title?): nobody is told it. It is not the only one: see runner validate.
      """
    #expect(outcome.stderr.contains(sentence), "\(outcome)")
    let doctor = try await run(["doctor"], in: folder)
    #expect(doctor.exit == 78 && doctor.stdout.contains("page.on.titel") && doctor.stdout.contains("page.xyzzy"))
  }

  @Test func validateNamesEachOfThem() async throws {
    let folder = try project("page.on.title = Aus?\npage.on.titel = Aus?\npage.on.kind = {nmae}\n")

    let outcome = try await run(["validate"], in: folder)

    #expect(outcome.exit == 78 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.hasPrefix("runner: In ., which is \"languages\" of functions.json, "), "\(outcome)")
    #expect(outcome.stderr.contains("de.strings:2 has page.on.titel, which is no text's name"), "\(outcome)")
    #expect(outcome.stderr.contains("de.strings:3 has {nmae}, which page.on.kind does not have"), "\(outcome)")
  }

  @Test func validateLikesTextsThatAreTold() async throws {
    let outcome = try await run(["validate"], in: try project("page.on.title = Aus?\n"))

    #expect(outcome.exit == 0 && outcome.stdout == "functions.json is valid: 0 functions\n", "\(outcome)")
  }

  /// Arguments: what an engine sets.
  @Test(arguments: [[:], ["K_SERVICE": "echo", "PORT": "0"]])
  func aHostRefusesItToo(engine: [String: String]) async throws {
    let folder = try project("page.on.titel = Aus?\n", functions: #""echo":{"executable":"echo"}"#)

    let outcome = try await BuiltExecutables.run(
      "runner", ["host", "echo", "--project", folder.path] + (engine.isEmpty ? ["--port", "0"] : []),
      environment: engine)

    #expect(outcome.exit == 78, "\(outcome)")
    #expect(
      outcome.stderr.contains(#"In ., which is "languages" of functions.json, de.strings:1 has page.on.titel, "#),
      "\(outcome)")
  }

  @Test(arguments: [["host", "echo", "--port", "0"], serve])
  func aSignalEndsAStartThatWaitsForADoctor(words: [String]) async throws {
    let folder = try project(
      "page.on.title = Aus?\n",
      doctor: #""doctor mail":{"executable":"/bin/sh","arguments":["-c","touch asked; exec sleep 1000"]},"#,
      functions: #""echo":{"executable":"echo"}"#)
    let runner = try RunningProgram("runner", words + ["--project", folder.path], environment: Self.nowhere)
    while runner.ended == nil, access("\(folder.path)/asked", F_OK) != 0 { await Task.yield() }

    runner.send(SIGTERM)

    #expect(try await runner.exit() == 0, "\(runner.lines)")
    #expect(!runner.lines.contains { $0.contains("Nobody has checked") }, "\(runner.lines)")
  }

  @Test func aFactThatTheEnglishTextLacksIsRefusedWithTheNearestOne() async throws {
    let folder = try project("feedbackkit.new_vote.body[other] = {feedback}: {cuont}\n")

    let outcome = try await run(Self.serve, in: folder)

    #expect(outcome.exit == 78, "\(outcome)")
    #expect(
      outcome.stderr.contains("de.strings:1 has {cuont}, which feedbackkit.new_vote.body does not have in English "))
    #expect(outcome.stderr.contains("(did you mean {count}?): nobody is told it."), "\(outcome)")
  }

  @Test func textsThatAreToldStart() async throws {
    let outcome = try await run(Self.serve, in: try project("page.on.title = Aus?\n"))

    #expect(outcome.exit == 75 && !outcome.stderr.contains("languages"), "\(outcome)")
  }

  /// The doctor of another bundle may be gone, know no such question, or answer another one.
  @Test(arguments: [
    "", #""doctor mail":{"executable":"./gone"},"#,
    #""doctor mail":{"executable":"/bin/sh","arguments":["-c","exit 64"]},"#,
    #"""
    "doctor mail":{"executable":"/bin/sh","arguments":["-c","echo '[{\"check\":\"mail\",\"detail\":\"x\",\"ok\":false}]'"]},
    """#,
  ])
  func aBundleWhoseDoctorSaysNothingOfTextsStartsAsEver(doctor: String) async throws {
    let outcome = try await run(Self.serve, in: try project("page.on.titel = Aus?\n", doctor: doctor))

    #expect(outcome.exit == 75 && !outcome.stderr.contains("languages"), "\(outcome)")
  }
}
