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

    #expect(outcome.exit == 78 && outcome.stderr.contains("PORT must be a number from 0 to 65535, not http"))
  }

  @Test(arguments: [["migrate"], ["serve", "--port", "0"]])
  func aConnectionStringThatIsNoneIsAMistakeThatIsNotQuoted(_ words: [String]) async throws {
    let project = try TemporaryDirectory()
    try project.write(Self.manifest, to: "functions.json")

    let outcome = try await BuiltExecutables.run(
      "runner", words + ["--project", project.path], environment: ["DATABASE_URL": "postgres:/someone:hunter2@host/x"])

    #expect(outcome.exit == 78 && outcome.stderr.contains("connection string cannot be read"), "\(outcome)")
    #expect(!outcome.stderr.contains("hunter2"), "\(outcome)")
  }

  @Test func theDatabaseOfTheFileIsNotTheRunnersOwn() async throws {
    let project = try TemporaryDirectory()
    try project.write(Self.manifest, to: "functions.json")
    try project.write("DATABASE_URL=\(try await TemporaryPostgres.database())\n", to: ".env")

    let outcome = try await BuiltExecutables.run("runner", ["serve", "--port", "0", "--project", project.path])

    #expect(outcome.exit == 78 && outcome.stderr.contains("run \"runner migrate\" first"))
  }

  /// Opening a pipe waits for its writer, and a device or a socket may have no end.
  @Test(arguments: ["fifo", "/dev/zero"], ["TOKEN_FILE", "credential", ".env", "functions.json"])
  func whatIsNoFileIsRefusedAtOnce(_ kind: String, _ name: String) async throws {
    let project = try TemporaryDirectory()
    if name != "functions.json" { try project.write(Self.manifest, to: "functions.json") }
    let place = "\(project.path)/\(["TOKEN_FILE": "secret", "credential": "TOKEN"][name] ?? name)"
    try #require((kind == "fifo" ? mkfifo(place, 0o600) : symlink(kind, place)) == 0)
    let environment = ["TOKEN_FILE": ["TOKEN_FILE": place], "credential": ["CREDENTIALS_DIRECTORY": project.path]][name]

    let outcome = try await BuiltExecutables.run(
      "runner", ["list", "--project", project.path], environment: environment ?? [:], timeout: .seconds(60))

    let problem = environment == nil ? "cannot be read" : "is not a regular file"
    #expect(outcome.exit == 78, "\(outcome)")
    #expect(outcome.stderr.contains(place) && outcome.stderr.contains(problem), "\(outcome)")
  }

  @Test(arguments: ["fifo", "/dev/zero"])
  func functionsWaitForNoPipeEither(_ kind: String) async throws {
    let folder = try TemporaryDirectory()
    let key = "\(folder.path)/key"
    try #require(mkdir("\(folder.path)/.runner", 0o700) == 0)
    for place in [key, "\(folder.path)/.runner/database-url"] {
      try #require((kind == "fifo" ? mkfifo(place, 0o600) : symlink(kind, place)) == 0)
    }

    let vote = try await BuiltExecutables.run(
      "/bin/sh", ["-c", #"cd "$0" && exec "$1""#, folder.path, BuiltExecutables.path(of: "vote-cast")],
      stdin: try House.text("Tests/Events/vote-cast.supabase.json"), timeout: .seconds(60))
    let doctor = try await BuiltExecutables.run(
      "push", ["doctor"],
      environment: [
        "APNS_KEY_ID": "ABCDE12345", "APNS_TEAM_ID": "ABCDE12345", "APNS_KEY_PATH": key,
        "FCM_SERVICE_ACCOUNT_PATH": key, "DATABASE_URL": "postgresql://127.0.0.1:1/nowhere",
      ], timeout: .seconds(60))

    #expect(vote.exit == 78 && vote.stdout.contains("There is no database"))
    #expect(doctor.stdout.contains("APNS_KEY_PATH") && doctor.stdout.contains("FCM_SERVICE_ACCOUNT_PATH"), "\(doctor)")
  }

  @Test(arguments: [(0o600, false), (0o640, false), (0o644, true), (0o604, true)] as [(mode_t, Bool)])
  func theDoctorSaysWhoCanReadTheSecrets(_ mode: mode_t, _ isOpen: Bool) async throws {
    let project = try TemporaryDirectory()
    try project.write(Self.manifest, to: "functions.json")
    let file = try project.write("DATABASE_URL=postgresql://127.0.0.1:1/nowhere\n", to: ".env")
    try #require(chmod(file, mode) == 0)

    let outcome = try await BuiltExecutables.run("runner", ["doctor", "--project", project.path])

    let warning = /warning +\.env +every user of this machine can read it/
    #expect(outcome.stdout.contains(warning) == isOpen, "\(outcome)")
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
