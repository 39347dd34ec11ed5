import FunctionKit
import Glibc
import TestSupport
import Testing

/// `.env` beside `functions.json`, secrets in files, and what may be said in place of options.
@Suite(.heavy)
struct SettingsTests {
  private static let manifest =
    #"{"functions":{"show":{"executable":"show","mode":"oneshot","environment":["TOKEN","GONE"]}}}"#

  private func runner(_ environment: [String: String] = [:], file: String) async throws -> RunningRunner {
    let runner = try await RunningRunner(
      Self.manifest, scripts: ["show": #"cat > /dev/null; echo "{\"token\":\"$TOKEN\"}""#], environment: environment)
    try runner.project.write(file, to: ".env")
    return runner
  }

  @Test func functionsGetWhatTheFileSaysAndNobodySeesIt() async throws {
    let runner = try await runner(file: "TOKEN_FILE=token\nRUNNER_KEY='k3y-that-is-long-enough'\n")
    try runner.project.write("t0ken\n", to: "token")
    let served = try await runner.start()

    let refused = try await served.call("show")
    let answer = try await served.call("show", headers: [("apikey", "k3y-that-is-long-enough")])
    let env = try await runner.run(["env"])
    let json = try await runner.run(["env", "show", "--json"])
    let arguments = try await BuiltExecutables.run("/bin/ps", ["-A", "-o", "args"])

    #expect(refused.status == 401)
    #expect(answer.json?["token"]?.stringValue == "t0ken")
    #expect(env.exit == 0)
    #expect(env.stdout.contains(/show +TOKEN +set +\S+\/token\n/) && env.stdout.contains(/show +GONE +missing/))
    #expect(env.stdout.contains(/runner +RUNNER_KEY +set +\.env\n/))
    #expect(env.stdout.contains(/runner +RUNNER_HOST +optional/))
    #expect(try RawJSON(validating: Array(json.stdout.utf8)[...]).elements?.count == 2)
    let seen = served.program.lines + [env.stdout, json.stdout, arguments.stdout]
    #expect(!seen.contains { $0.contains("t0ken") || $0.contains("k3y-") })
  }

  @Test func aChangedFileIsFollowedWithTheRest() async throws {
    let runner = try await runner(file: "TOKEN=old\n")
    let served = try await runner.start(options: ["--watch"])
    #expect(try await served.call("show").json?["token"]?.stringValue == "old")

    try runner.project.write("TOKEN=new\n", to: ".env")

    try await eventually("the new value is there", within: .seconds(120)) {
      try await served.call("show").json?["token"]?.stringValue == "new"
    }
  }

  @Test func aValueThatIsGivenTwiceAndALineThatIsNoneAreMistakes() async throws {
    let twice = try await runner(["TOKEN": "own", "TOKEN_FILE": "/nowhere"], file: "")
    let broken = try await runner(file: "A=b\nTOKEN t0ken\n")

    let (first, second) = (try await twice.run(["list"]), try await broken.run(["list"]))

    #expect(first.exit == 78 && first.stderr.contains("TOKEN and TOKEN_FILE are both set"))
    #expect(second.exit == 78 && second.stderr.contains(".env:2 must be NAME=value"))
    #expect(!second.stderr.contains("t0ken"))
  }

  @Test(arguments: [["RUNNER_PORT": "0", "PORT": "none"], ["PORT": "0"]])
  func portAndAddressComeFromTheEnvironment(_ ports: [String: String]) async throws {
    let runner = try await runner(file: "RUNNER_HOST=::1\n")
    let program = try RunningProgram(
      "runner", ["serve", "--migrate", "--project", runner.project.path],
      environment: ports.merging(["DATABASE_URL": runner.databaseURL]) { $1 })

    let line = try await program.line(within: .seconds(120)) { $0.contains(#""message":"Serving""#) }

    #expect(line.contains("http://[::1]:") && !line.contains(":54321"))
    program.send(SIGTERM)
    try await program.exit(within: .seconds(120))
  }

  @Test func whatIsNoPortIsNamed() async throws {
    let runner = try await runner(["PORT": "http"], file: "")

    let outcome = try await runner.run(["serve"])

    #expect(outcome.exit == 64 && outcome.stderr.contains("PORT must be a number from 0 to 65535, not http"))
  }

  @Test func theDatabaseOfTheFileIsNotTheRunnersOwn() async throws {
    let project = try TemporaryDirectory()
    try project.write(Self.manifest, to: "functions.json")
    try project.write("DATABASE_URL=\(try await TemporaryPostgres.database())\n", to: ".env")

    let outcome = try await BuiltExecutables.run("runner", ["serve", "--port", "0", "--project", project.path])

    #expect(outcome.exit == 78 && outcome.stderr.contains("run \"runner migrate\" first"))
  }

  @Test func aFunctionOnItsOwnSaysWhatToDoWithoutADatabase() async throws {
    let event = try House.text("Tests/Events/vote-cast.supabase.json")
    let folder = try TemporaryDirectory()
    let vote = BuiltExecutables.path(of: "vote-cast")

    let none = try await BuiltExecutables.run("/bin/sh", ["-c", "cd '\(folder.path)' && '\(vote)'"], stdin: event)
    let away = try await BuiltExecutables.run(
      vote, stdin: event, environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/nowhere"])
    let served = try await BuiltExecutables.run(
      vote, stdin: event,
      environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/nowhere", "PUSH_FUNCTION_CLOCK": "event"])

    #expect(none.exit == 78 && none.stdout.contains("set DATABASE_URL, or start the local runner (Runner/up"))
    #expect(away.exit == 75 && away.stdout.contains("Start it"))
    #expect(away.stdout.contains("set DATABASE_URL to another one"))
    #expect(served.exit == 75 && !served.stdout.contains("Start it"))
  }
}
