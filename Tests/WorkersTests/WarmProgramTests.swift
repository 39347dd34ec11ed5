import FunctionKit
import Glibc
import RunnerTestSupport
import TestSupport
import Testing

@testable import System
@testable import Workers

/// A program that stays for the next question.
@Suite(.heavy)
@RunnerLoop
struct WarmProgramTests {
  private static let patience = Duration.seconds(120)

  @RunnerLoop
  private final class Deaths {
    var all: [String] = []
  }

  /// A script of a test as such a program.
  @RunnerLoop
  private final class Script {
    let program: WarmProgram
    private let deaths: Deaths
    var launch: Launch
    let directory: TemporaryDirectory

    init(_ script: String = ScriptedPool.answers, limits: WarmProgram.Limits = .init()) throws {
      signal(SIGPIPE, SIG_IGN)
      directory = try TemporaryDirectory()
      try directory.write("#!/bin/sh\n\(script)\n", to: "function", mode: 0o700)
      launch = ScriptedPool.launch(in: directory)
      let deaths = Deaths()
      program = WarmProgram(limits) { deaths.all.append("\($0): \($1)") }
      self.deaths = deaths
    }

    /// The deaths that it was told of, of processes that ended by themselves.
    var said: [String] { deaths.all }

    func ask(_ word: String = "fast", within limit: Duration = patience) async -> CommandRun? {
      await program.ask([word], of: "find", launch, timeLimit: limit)
    }

    /// The process that answers.
    func process() async throws -> pid_t {
      let run = try #require(await ask())
      return try #require(pid_t(String(decoding: run.output, as: UTF8.self)), "\(run)")
    }

    /// Waits until it has this number of processes; false if it never has.
    func comesToHave(_ processes: Int) async throws -> Bool {
      try await Polling.wait(until: .now + patience) { program.processes == processes }
    }

    func end() async throws {
      program.leave()
      #expect(try await comesToHave(0))
    }
  }

  /// Answers every question but those with the word `slow`.
  private static let answersWhatIsFast =
    "while read -r line; do case $line in *slow*) sleep 600;; esac; \(ScriptedPool.answer); done"

  @Test func oneProcessAnswersQuestionAfterQuestion() async throws {
    let script = try Script()

    var processes: Set<pid_t> = []
    for _ in 0..<20 { processes.insert(try await script.process()) }

    #expect(processes.count == 1 && script.program.processes == 1)
    try await script.end()
  }

  @Test func itIsAskedWithTheWordsOfACommand() async throws {
    let script = try Script(
      #"""
      while read -r line; do
        case $line in *'"words":["a \"b\""]'*) said=true ;; *) said=false ;; esac
        id=${line#*\"id\":\"}; printf '{"id":"%s","exit":0,"result":{"said":%s}}\n' "${id%%\"*}" $said
      done
      """#)

    let run = try #require(await script.ask(#"a "b""#))

    #expect(run.status == 0 && String(decoding: run.output, as: UTF8.self) == #"{"said":true}"#)
    try await script.end()
  }

  @Test func anotherProcessFollowsOneThatWasKilled() async throws {
    let script = try Script()
    let first = try await script.process()

    kill(first, SIGKILL)
    #expect(try await script.comesToHave(0))

    #expect(script.said == ["find: signal 9"])
    #expect(try await script.process() != first)
    try await script.end()
    #expect(script.said.count == 1, "One that was let go has not ended by itself.")
  }

  @Test func itIsToldHowAProcessEndedThatDidNotAnswer() async throws {
    let script = try Script("read -r line; exit 3")

    #expect(await script.ask() == nil)

    #expect(try await script.comesToHave(0))
    #expect(script.said == ["find: exit 3"])
  }

  @Test func aProcessThatNobodyAsksEnds() async throws {
    var limits = WarmProgram.Limits()
    limits.idle = .milliseconds(20)
    let script = try Script(limits: limits)
    let first = try await script.process()

    #expect(try await script.comesToHave(0))

    #expect(try await script.process() != first)
    try await script.end()
  }

  @Test func aProcessIsReplacedAfterManyAnswers() async throws {
    var limits = WarmProgram.Limits()
    limits.answers = 3
    let script = try Script(limits: limits)

    var processes: [pid_t] = []
    for _ in 0..<6 {
      // The one that leaves may still be there: it has a place.
      processes.append(try await script.process())
    }

    #expect(Set(processes[..<3]).count == 1 && Set(processes[3...]).count == 1)
    #expect(processes[0] != processes[3])
    #expect(script.said == [])
    try await script.end()
  }

  @Test func anotherWayToStartItIsAnotherProcess() async throws {
    let script = try Script()
    let first = try await script.process()

    script.launch.environment["NEW"] = "1"

    #expect(try await script.process() != first)
    #expect(try await script.comesToHave(1))
    try await script.end()
  }

  @Test func aSlowAnswerHoldsUpNoOtherAndEndsInTime() async throws {
    let script = try Script(Self.answersWhatIsFast)
    async let late = script.ask("slow", within: .seconds(1))
    #expect(try await script.comesToHave(1))

    let first = try await script.process()
    let second = try await script.process()

    #expect(first == second)
    let run = try #require(await late)
    #expect(run.timedOut && run.status == nil && run.isBegun)
    #expect(try await script.comesToHave(1))
    #expect(script.said == [])
    try await script.end()
  }

  @Test func whereAllProcessesAreAtWorkNobodyAnswers() async throws {
    var limits = WarmProgram.Limits()
    limits.processes = 1
    let script = try Script(
      "while read -r line; do until [ -e go ]; do sleep 0.01; done; \(ScriptedPool.answer); done", limits: limits)
    async let first = script.ask()
    #expect(try await script.comesToHave(1))

    let second = await script.ask()
    try script.directory.write("", to: "go")

    #expect(second == nil && script.program.processes == 1)
    #expect(await first?.status == 0)
    try await script.end()
  }

  @Test(arguments: [
    "exit 64", #"echo '{"found":[]}'"#, #"read -r line; echo '{"id":"other","exit":0}'"#, "read -r line; kill -9 $$",
  ])
  func aProgramThatDoesNotAnswerIsSaidToBeNone(_ script: String) async throws {
    let script = try Script(script)

    #expect(await script.ask() == nil)
    #expect(await script.ask() == nil)

    try await script.end()
  }

  /// A thing that is away or wrong for a process that stays may be so because of something old that it has kept.
  @Test func whatIsWrongIsSaidAndOnlyANewProcessIsBelievedAboutWhatMayBeMended() async throws {
    let script = try Script(
      #"""
      while read -r line; do
        case $line in *away*) exit=75 ;; *nobody*) exit=66 ;; *) exit=0 ;; esac
        id=${line#*\"id\":\"}; id=${id%%\"*}
        [ $exit = 0 ] && { printf '{"id":"%s","exit":0,"result":%s}\n' "$id" $$; continue; }
        printf '{"id":"%s","exit":%s,"error":{"code":"X","message":"It is so."}}\n' "$id" $exit
      done
      """#)
    let new = try #require(await script.ask("away"))
    #expect(try await script.comesToHave(0))
    let first = try await script.process()

    let nobody = try #require(await script.ask("nobody"))
    let same = try await script.process()
    let old = await script.ask("away")

    #expect(new.status == 75 && new.complaint == "It is so.")
    #expect(nobody.status == 66 && nobody.complaint == "It is so." && same == first)
    #expect(old == nil)
    #expect(try await script.process() != first)
    try await script.end()
  }
}
