import FunctionKit
import TestSupport
import Testing

struct EnvironmentTests {
  @Test func takesTheDatabaseOfTheEnvironmentFirst() throws {
    #expect(try Environment(["DATABASE_URL": "postgres://x"]).databaseURL() == "postgres://x")
  }

  @Test func findsTheLocalDatabaseUpwardFromTheWorkingDirectory() async throws {
    let directory = try TemporaryDirectory()
    _ = try await BuiltExecutables.run("/bin/mkdir", ["-p", "\(directory.path)/.runner", "\(directory.path)/a/b"])
    try directory.write("postgres://local\n", to: ".runner/database-url")

    #expect(try Environment([:], workingDirectory: "\(directory.path)/a/b").databaseURL() == "postgres://local")
  }

  @Test func saysWhatToSetWhereThereIsNoDatabase() throws {
    let directory = try TemporaryDirectory()

    #expect { try Environment([:], workingDirectory: directory.path).databaseURL() } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains("DATABASE_URL")
    }
  }

  @Test func namesTheVariableThatIsMissing() {
    #expect { try Environment(["A": ""]).require("A") } throws: { "\($0)".contains("variable A is missing") }
  }

  @Test func givesEveryVariableOnceAndNoneThatIsEmpty() {
    let environment = Environment(["A": "1", "B": "", "C": "a=b"])

    #expect(environment["A"] == "1")
    #expect(environment["B"] == nil)
    #expect(environment["C"] == "a=b")
    #expect(environment["D"] == nil)
    #expect(environment.all == ["A": "1", "B": "", "C": "a=b"])
  }
}
