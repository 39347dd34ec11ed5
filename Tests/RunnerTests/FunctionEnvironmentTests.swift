import FunctionKit
import Testing

@testable import Runner

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

  @Test func saysWhatAFunctionLacks() {
    #expect(environment.missing(for: entry("OWN", "ABSENT", "OFFERED", "GONE")) == ["ABSENT", "GONE"])
  }
}
