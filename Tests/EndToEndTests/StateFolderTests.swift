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
}
