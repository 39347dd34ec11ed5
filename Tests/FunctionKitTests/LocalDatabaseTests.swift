import FunctionKit
import Glibc
import TestSupport
import Testing

struct LocalDatabaseTests {
  @Test func onlyTheRunnersOwnDatabaseIsLocalUnlessARunnerSaysSo() async throws {
    let directory = try TemporaryDirectory()
    _ = try await BuiltExecutables.run("/bin/mkdir", ["-p", "\(directory.path)/.runner"])
    let isLocal = { (values: [String: String]) in
      Environment(values, workingDirectory: directory.path).isDatabaseLocal
    }
    #expect(!isLocal([:]))
    try directory.write("postgres://own\n", to: ".runner/database-url")

    #expect(isLocal([:]))
    #expect(isLocal(["DATABASE_URL": "postgres://own"]))
    // A tunnel from here may end anywhere.
    #expect(!isLocal(["DATABASE_URL": "postgres://127.0.0.1/team"]))
    #expect(!isLocal(["DATABASE_URL": "postgres:///team?host=/var/run/postgresql"]))
    #expect(isLocal(["DATABASE_URL": "postgres://test", "PUSH_FUNCTION_DATABASE": "local"]))
  }

  @Test(.enabled(if: geteuid() == 0, "Not run: only root gives files to other users."))
  func aDatabaseIsNotLocalBecauseSomebodyElseSaysSo() async throws {
    let directory = try TemporaryDirectory()
    try #require(mkdir("\(directory.path)/.runner", 0o755) == 0)
    let file = try directory.write("postgres://team\n", to: ".runner/database-url")
    let environment = Environment(["DATABASE_URL": "postgres://team"], workingDirectory: directory.path)
    #expect(environment.isDatabaseLocal)

    try #require(chown(file, 4_343, 4_343) == 0)

    #expect(!environment.isDatabaseLocal)
  }
}
