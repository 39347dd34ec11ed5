import FunctionKit
import Testing

@testable import Lifecycle
@testable import Manifest

struct FunctionEnvironmentTests {
  private let environment = FunctionEnvironment(
    databaseURL: "postgres://x", services: ["OFFERED": "by a service", "BOTH": "by a service"],
    own: Environment(["PATH": "/bin", "OWN": "here", "BOTH": "here", "SECRET": "of somebody else"]), marker: "MARK=1")

  private func entry(_ names: String...) -> FunctionEntry {
    var entry = FunctionEntry(name: "f")
    entry.environment = names
    return entry
  }

  @Test func aFunctionGetsWhatItNamesAndNothingElse() {
    #expect(
      environment.variables(for: entry("OWN", "OFFERED", "BOTH", "ABSENT")) == [
        "PATH": "/bin", "MARK": "1", "PUSH_FUNCTION_TIMEOUT": "30", "OWN": "here", "OFFERED": "by a service",
        "BOTH": "here",
      ])
    #expect(environment.variables(for: entry()) == ["PATH": "/bin", "MARK": "1", "PUSH_FUNCTION_TIMEOUT": "30"])
    #expect(environment.variables(for: entry("DATABASE_URL"))["DATABASE_URL"] == "postgres://x")
  }

  @Test func aFunctionWithBatchesKnowsTheirSize() {
    var entry = entry()
    entry.batch = 64

    #expect(environment.variables(for: entry)[Environment.batch] == "64")
  }

  @Test func onlyTheProcessesThatARunnerStampsEventsForBelieveThem() {
    var stamping = environment
    stamping.stampsEvents = true

    #expect(environment.variables(for: entry())["PUSH_FUNCTION_CLOCK"] == nil)
    #expect(stamping.variables(for: entry())["PUSH_FUNCTION_CLOCK"] == "event")
  }

  @Test func saysWhatAFunctionLacks() {
    #expect(environment.missing(for: entry("OWN", "ABSENT", "OFFERED", "GONE")) == ["ABSENT", "GONE"])
  }

  @Test func whatFunctionsJSONSaysStandsBehindWhatAServiceOffers() {
    var entry = entry("OFFERED", "BOTH", "ABSENT")
    entry.settings = ["OFFERED": "by us", "BOTH": "by us", "ABSENT": "by us", "OTHER": "by us"]

    let variables = environment.variables(for: entry)

    #expect(variables["OFFERED"] == "by a service,by us" && variables["ABSENT"] == "by us")
    #expect(variables["BOTH"] == "here" && variables["OTHER"] == nil)
  }
}
