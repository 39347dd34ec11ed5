import TestSupport
import Testing

/// A runner whose folder is not `.runner` is found by every command that is given the folder.
@Suite(.heavy)
struct StateFolderTests {
  @Test func commandsAndPagesFindTheServicesOfSuchARunner() async throws {
    let runner = try await RunningRunner(try House.text("functions.json"))
    let place = ["--state-dir", "\(runner.project.path)/elsewhere"]
    let served = try await runner.start(services: true, options: place + ["--console", "on"])
    try await served.program.line { $0.contains("Partitions taken") }

    for words in [["pushes"], ["phones"]] {
      let (found, missed) = (try await runner.run(words + place), try await runner.run(words))
      #expect(found.exit == 0, "\(words): \(found.stdout) \(found.stderr)")
      #expect(missed.exit == 78, "\(words): \(missed.stdout) \(missed.stderr)")
    }
    #expect(try await runner.run(["status"] + place).exit == 0)
    let page = try await ServedConsole(served: served).get("/_/console/phones")
    #expect(page.status == 200 && !page.text.contains("No push emulator runs"), "\(page.text)")
  }

  @Test func nobodyEndsAnotherProjectsRunnerByItsFolder() async throws {
    let manifest = #"{"functions":{}}"#
    let (runner, other) = (try await RunningRunner(manifest), try await RunningRunner(manifest))
    let state = "\(runner.project.path)/elsewhere"
    let served = try await runner.start(options: ["--state-dir", state])
    let (project, process) = (runner.project.path, served.program.processID)
    let place = "The runner of \(project), process \(process), keeps its state in \(state)."

    for words in [["down"], ["reset", "--yes"], ["status"], ["logs"]] {
      let named = try await other.run(words + ["--state-dir", state])
      let set = try await other.run(words, environment: ["RUNNER_STATE_DIR": state])
      for outcome in [named, set] {
        #expect(outcome.exit == 78 && outcome.stderr.contains(place), "\(words): \(outcome)")
      }
    }
    let second = try await other.run(["serve", "--port", "0", "--state-dir", state])
    #expect(second.exit == 75 && second.stderr.contains(place), "\(second)")
    #expect(try await other.run(["doctor", "--state-dir", state]).stdout.contains("The runner of"))
    #expect(try await served.request("/_/health").status == 200)

    #expect(try await runner.run(["status", "--state-dir", state]).exit == 0)
    #expect(try await runner.run(["down", "--state-dir", state]).exit == 0)
    #expect(try await served.program.exit() == 0)

    // Another version of the project, as in a folder beside it, may look into what the last runner has left.
    let exits: [([String], Int32)] = [(["status"], 69), (["logs"], 0), (["down"], 0), (["reset", "--yes"], 78)]
    for (words, exit) in exits {
      let outcome = try await other.run(words + ["--state-dir", state])
      #expect(outcome.exit == exit, "\(words): \(outcome)")
    }
  }
}
