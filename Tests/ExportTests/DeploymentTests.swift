import FunctionKit
import TestSupport
import Testing

@testable import Export
@testable import Manifest

/// Exports that are refused, and parts that an export may never have in it.
@Suite(.heavy)
struct DeploymentTests {
  private static let long = String(repeating: "a", count: 56)

  @Test(arguments: [
    (#""\#(long)": {}"#, "functions.\(long) has a name that is no DNS label"),
    (#""1st": {}"#, "functions.1st has a name that is no DNS label"),
    (
      #""b": {"url": "https://example.com/", "headers": {"Authorization": "Bearer abc"}}"#,
      "functions.b.headers.Authorization has a secret in plain text"
    ),
    (
      #""b": {"url": "https://example.com/", "headers": {"X-Api-Key": "abc"}}"#,
      "functions.b.headers.X-Api-Key has a secret in plain text"
    ),
    (
      #""b": {"url": "https://example.com/", "headers": {"X-Auth": "abc"}}"#,
      "functions.b.headers.X-Auth has a secret in plain text"
    ),
    (
      #""b": {"url": "https://example.com/", "headers": {"X-Signature": "abc"}}"#,
      "functions.b.headers.X-Signature has a secret in plain text"
    ),
    (#""b": {"url": "https://user:abc@example.com/"}"#, "functions.b.url has a password in plain text"),
    (#""b": {"url": "https://${USER}:abc@${HOST}/"}"#, "functions.b.url has a password in plain text"),
    (#""b": {"url": "https://abc@${HOST}/"}"#, "functions.b.url has a password in plain text"),
    (#""b": {"url": "https://example.com/hook?code=abc"}"#, "functions.b.url has a query in plain text"),
    (#""b": {"url": "https://${HOST}/hook?code=abc"}"#, "functions.b.url has a query in plain text"),
    (#""b": {"url": "https://${HOST}/hook?id=${ID}&abc#${A}"}"#, "functions.b.url has a query in plain text"),
    (#""b": {"executable": "run\nUSER root"}"#, #"functions.b.executable has "run\nUSER root""#),
    (#""b": {"executable": "../other"}"#, #"functions.b.executable has "../other""#),
    (#""b": {"environment": ["A: b"]}"#, #"functions.b.environment has "A: b""#),
    (
      #""b": {"triggers": [{"http": "function", "routes": ["GET /a;b"]}]}"#, "functions.b.triggers has \"GET /a;b\""
    ),
  ])
  func anEntryIsRefusedByItsPlace(_ functions: String, _ complaint: String) throws {
    let manifest = try Bundle.of(functions)

    #expect { try Deployment(of: manifest) } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains(complaint) && !"\($0)".contains("abc")
    }
  }

  @Test func noUnitLeavesItsMemoryInACoreDump() throws {
    let units = try Deployment(of: Bundle.own()).systemd.filter { $0.path.hasSuffix(".service") }

    #expect(units.count == 2 && units.allSatisfy { $0.text.contains("\nLimitCORE=0\n") })
  }

  @Test func aSecretThatIsAVariableIsTaken() throws {
    let url = "https://${USER}:${PASSWORD}@example.com/a@b?code=${CODE}&empty=#part"
    let manifest = try Bundle.of(
      #""b": {"url": "\#(url)", "headers": {"X-Auth": "${AUTH}", "X-Plain": "abc"}}"#)

    #expect(throws: Never.self) { try Deployment(of: manifest) }
  }

  private static func translated(_ path: String) throws -> Manifest {
    var manifest = try Bundle.of(#""report": {"triggers": [{"http": "key"}], "environment": ["PUSH_LANGUAGES?"]}"#)
    manifest.languages = path
    return manifest
  }

  @Test(arguments: [ExportEngine.compose, .docker, .kubernetes, .knative, .openfaas, .lambda])
  func anImageHasTheAppsOwnTextsAndNobodyIsAskedForThem(_ engine: ExportEngine) throws {
    let files = try engine.files(of: try Deployment(of: try Self.translated("own/texts")))

    for file in files where file.path.hasSuffix("Dockerfile") {
      #expect(file.text.contains("\nCOPY own/texts /opt/push-functions/own/texts\n"), "\(file.text)")
    }
    #expect(files.allSatisfy { !$0.text.contains("PUSH_LANGUAGES") && !$0.text.contains("push-languages") })
  }

  @Test(arguments: ["/elsewhere/texts", "/bundle/texts", "../texts", "a/../../texts", ".", "own texts"])
  func textsThatAnImageWouldLackAreNamed(_ path: String) throws {
    let manifest = try Self.translated(path)

    #expect { try Deployment(of: manifest) } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains("functions.json: languages ")
        && "\($0)".contains(path)
    }
  }

  @Test(arguments: ["/elsewhere/orders", "../shared/orders", "a/../../orders"])
  func migrationsThatAnImageWouldLackAreNamed(_ path: String) throws {
    let manifest = try Manifest(
      text: Array(#"{"migrations":["own/apps","\#(path)"],"functions":{}}"#.utf8), file: "functions.json",
      directory: "/bundle")

    #expect { try Deployment(of: manifest) } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains("functions.json: migrations has ")
        && "\($0)".contains(path)
    }
  }

  @Test(arguments: [
    (
      ExportEngine.knative, "report.yaml", "secretKeyRef: {name: \"push-functions\", key: REPORT_TOKEN, optional: true}"
    ),
    (.openfaas, "stack.yaml", "#- report-token"), (.lambda, "template.yaml", "#REPORT_TOKEN: !Sub"),
  ])
  func variablesThatAFunctionDoesWithoutAreOffered(_ engine: ExportEngine, _ file: String, _ line: String) throws {
    let manifest = try Bundle.of(
      #""report": {"triggers": [{"http": "key"}], "environment": ["DATABASE_URL", "REPORT_TOKEN?"]}"#)
    let files = try engine.files(of: try Deployment(of: manifest))

    let text = try #require(files.first { $0.path == file }).text
    #expect(text.contains(line), "\(text)")
    #expect(!text.contains(" - report-token") && !text.contains(" REPORT_TOKEN: !Sub"))
  }

  @Test(arguments: ["Push", "push_functions", "-push", "push-", "a--b", "", long]) func aNameIsALabel(_ name: String)
    throws
  {
    #expect { try Deployment(of: try Bundle.rich(), name: name) } throws: { ($0 as? FunctionError)?.code == .usage }
  }

  @Test(arguments: ["app:1\nUSER root", "app 1", "", "-app", "app@1", "app@sha256:0123456789ab"])
  func anImageIsAReference(_ image: String) throws {
    #expect { try Deployment(of: try Bundle.rich(), image: image) } throws: { ($0 as? FunctionError)?.code == .usage }
  }

  @Test(arguments: ["Push.example.com", "push_1.example.com", "*.example.com", "-a.example", "a..b", "10.0.0.1", ""])
  func aHostHasANameOfDNS(_ host: String) throws {
    #expect { try Deployment(of: try Bundle.rich(), hosts: ["a.example", host]) } throws: {
      ($0 as? FunctionError)?.code == .usage && "\($0)".contains("\(host) is no name of a host")
    }
  }

  @Test(arguments: [
    (ExportEngine.knative, "*/5 * * * * *", "UTC", "seconds"), (.openfaas, "0 0 1 * * *", "UTC", "seconds"),
    (.lambda, "30 * * * * *", "UTC", "seconds"), (.knative, "0 0 L * *", "UTC", "L"),
    (.openfaas, "0 9 * * *", "Europe/Berlin", "Europe/Berlin"),
    (.lambda, "0 9 13 * fri", "UTC", "a day of the month and one of the week"),
  ])
  func aScheduleThatAnEngineCannotExpressIsNamed(
    _ engine: ExportEngine, _ schedule: String, _ zone: String, _ complaint: String
  ) throws {
    let manifest = try Bundle.of(#""tick": {"triggers": [{"schedule": "\#(schedule)", "timezone": "\#(zone)"}]}"#)
    let deployment = try Deployment(of: manifest)

    #expect { try engine.files(of: deployment) } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains("functions.tick")
        && "\($0)".contains(complaint)
    }
    #expect(engine.losses(of: deployment).contains { $0.isRefusal && $0.text.contains("functions.tick") })
    // The runner fires it there.
    #expect(try ExportEngine.kubernetes.files(of: deployment).count > 3)
  }

  @Test(arguments: [
    ("* * * * *", "cron(* * * * ? *)"), ("0 2 * * *", "cron(0 2 * * ? *)"), ("@weekly", "cron(0 0 ? * SUN *)"),
    ("30 7 * * mon-fri", "cron(30 7 ? * MON,TUE,WED,THU,FRI *)"), ("0 0 * * 5-7", "cron(0 0 ? * SUN,FRI,SAT *)"),
    ("0 0 * * */2", "cron(0 0 ? * SUN,TUE,THU,SAT *)"), ("0 0 L * *", "cron(0 0 L * ? *)"),
    ("*/15 9-17 1,15 jan *", "cron(*/15 9-17 1,15 JAN ? *)"),
  ])
  func eventBridgeCountsDaysFromSundayAndNamesThem(_ schedule: String, _ expected: String) throws {
    let manifest = try Bundle.of(#""tick": {"triggers": [{"schedule": "\#(schedule)"}]}"#)
    let function = manifest.functions[0]

    #expect(try CronFields(function.schedules[0], of: function, on: "EventBridge").eventBridge() == expected)
  }

  /// Knative and OpenFaaS read days of the week from 0 to 6.
  @Test(arguments: [
    ("0 0 * * 7", "0 0 * * SUN"), ("0 0 * * 5-7", "0 0 * * SUN,FRI,SAT"), ("0 0 * * 1-7/2", "0 0 * * SUN,MON,WED,FRI"),
    ("7 7 7 7 mon,7", "7 7 7 7 SUN,MON"), ("7 0 17 * 0-6", "7 0 17 * 0-6"), ("0 0 * * mon-fri", "0 0 * * mon-fri"),
    ("0 0 1 * */7", "0 0 1 * */7"),
  ])
  func aSeventhDayIsWrittenAsSunday(_ schedule: String, _ expected: String) throws {
    let manifest = try Bundle.of(#""tick": {"triggers": [{"schedule": "\#(schedule)"}]}"#)
    let function = manifest.functions[0]

    #expect(try CronFields(function.schedules[0], of: function, on: "Knative").standard() == expected)
  }

  @Test(arguments: ExportEngine.allCases) func theSameBundleMakesTheSameBytes(_ engine: ExportEngine) throws {
    let first = try engine.files(of: try Deployment(of: try Bundle.rich(for: engine)))
    let second = try engine.files(of: try Deployment(of: try Bundle.rich(for: engine)))

    #expect(first == second && !first.isEmpty)
    #expect(Set(first.map(\.path)).count == first.count)
  }

  @Test func nginxWaitsForTheSlowestFunctionThatIsCalled() throws {
    let manifest = try Bundle.of(
      """
      "a": {"timeout": 120, "triggers": [{"http": "key"}]}, "b": {"triggers": [{"http": "key"}]},
      "c": {"timeout": 300, "triggers": [{"schedule": "@daily"}]}
      """)
    let file = try ExportEngine.nginx.files(of: try Deployment(of: manifest)).first { $0.path == "nginx.conf" }

    #expect(try #require(file).text.contains("proxy_read_timeout 135s;"))
  }

  /// As what is shipped: `Runner/link` makes two files of all programs.
  @Test func theImageHasEachProgramAsALink() throws {
    let deployment = try Deployment(of: try Bundle.own())
    let file = try #require(try ExportEngine.docker.files(of: deployment).first { $0.path == "Dockerfile" }).text
    let command = try #require(file.firstMatch(of: /Runner\/link --into \/out\/bin \\\n((?:    .+\n)+)\n/)).1
    let lists = command.split { $0.isWhitespace || $0 == "\\" }.split(separator: "--").map { $0.map(String.init) }

    #expect(lists.count == 2 && lists[0].contains("runner") && lists[0].contains("push-emulator"))
    #expect(lists[1] == deployment.manifest.functions.map(\.name).sorted())
    #expect(!file.contains("install -m"))
  }

  /// No build finds it by itself, because it gets no `.git`.
  @Test(arguments: [ExportEngine.docker, .compose, .kubernetes, .knative, .openfaas, .lambda])
  func anImageTellsTheCommitThatItsBuildIsGiven(_ engine: ExportEngine) throws {
    let files = try engine.files(of: try Deployment(of: try Bundle.rich(for: engine)))
    let file = try #require(files.first { $0.path == "Dockerfile" }).text

    #expect(file.contains("\nARG PUSH_FUNCTIONS_COMMIT\nRUN swift build "))
    #expect(file.contains("--build-arg PUSH_FUNCTIONS_COMMIT=$(git describe "))
  }

  @Test func onlyAnImageWithScriptsHasMoreThanItsProgramsLoad() throws {
    func image(of manifest: Manifest) throws -> String {
      let files = try ExportEngine.docker.files(of: try Deployment(of: manifest))
      return try #require(files.first { $0.path == "Dockerfile" }).text
    }
    let (programs, scripts) = (try image(of: try Bundle.own()), try image(of: try Bundle.rich()))

    #expect(programs.contains("\nFROM scratch\n") && !programs.contains("debian:"))
    #expect(programs.contains("\nCOPY --from=build --chown=65532:65532 /state/ /var/lib/\n"))
    #expect(scripts.contains("\nFROM debian:bookworm-slim\n") && scripts.contains(" python3 "))
  }

  /// The words behind the image are a program of it and its arguments.
  @Test func theImageSaysHowItsDatabaseIsPrepared() throws {
    let deployment = try Deployment(of: try Bundle.rich(), name: "orders")
    let file = try #require(try ExportEngine.docker.files(of: deployment).first { $0.path == "Dockerfile" }).text

    #expect(file.contains("… orders:latest /opt/orders/bin/runner migrate\n"), "\(file)")
    #expect(file.contains("\nENV RUNNER_STATE_DIR=/var/lib/orders\nWORKDIR /opt/orders\n"))
  }

  /// The host checks the signatures of webhooks.
  @Test func onlyAFunctionWhoseCallersAreCheckedIsOpenInLambda() throws {
    let manifest = try Bundle.of(
      """
      "key": {"triggers": [{"http": "key"}]}, "own": {"triggers": [{"http": "function", "routes": ["GET /own"]}]},
      "hook": {"triggers": [{"http": "signature", "secret": "HOOK_SECRET"}]},
      "row": {"triggers": [{"table": "orders", "events": ["INSERT"]}]}
      """)
    let deployment = try Deployment(of: manifest)
    let template = try ExportEngine.lambda.files(of: deployment).first { $0.path == "template.yaml" }
    let resources = try #require(template).text.split(separator: "Type: AWS::Serverless::Function").dropFirst()

    #expect(resources.map { $0.contains("AuthType: NONE") } == [false, true, true, false])
    #expect(resources.count { $0.contains("AuthType: AWS_IAM") } == 2)
    let secrets = [(ExportEngine.knative, "HOOK_SECRET"), (.openfaas, "hook-secret"), (.lambda, "HOOK_SECRET")]
    for (engine, word) in secrets {
      #expect(try engine.files(of: deployment).contains { $0.text.contains(word) })
    }
  }

  /// The function is a filter, and the host brings its events.
  @Test(arguments: [
    (
      ExportEngine.knative, "row.yaml",
      #""/opt/push-functions/bin/runner", "host", "row", "--project", "/opt/push-functions", "--concurrency", "1"]"#
    ),
    (.lambda, "template.yaml", #"EntryPoint: ["/opt/push-functions/bin/runner"]"#),
    (.lambda, "template.yaml", #"Command: ["host", "row", "--project", "/opt/push-functions"]"#),
    (.openfaas, "entrypoint.sh", #"exec /opt/push-functions/bin/runner host "$FUNCTION" --project"#),
    (.openfaas, "Dockerfile", #".build/release/runner ".build/release/${FUNCTION}""#),
  ])
  func anEngineStartsTheHost(_ engine: ExportEngine, _ file: String, _ words: String) throws {
    let manifest = try Bundle.of(#""row": {"triggers": [{"table": "orders", "events": ["INSERT"]}]}"#)
    let files = try engine.files(of: try Deployment(of: manifest))

    #expect(try #require(files.first { $0.path == file }).text.contains(words))
  }

  @Test func everyEngineSaysWhatItTakesAway() throws {
    let deployment = try Deployment(of: try Bundle.rich())
    func text(_ engine: ExportEngine) -> String {
      engine.losses(of: deployment).map { "\($0.subject): \($0.text)" }.joined(separator: "\n")
    }

    for engine in ExportEngine.allCases { #expect(text(engine) != "") }
    #expect(text(.lambda).contains("SIGKILL") && text(.lambda).contains("wake: stays with a runner"))
    #expect(text(.knative).contains("dead letter sink") && text(.knative).contains("row: has 900 s"))
    #expect(text(.openfaas).contains("Community Edition"))
    #expect(!text(.kubernetes).contains("wake"))
  }

  @Test(arguments: ExportEngine.allCases)
  func noValueOfASettingIsExported(engine: ExportEngine) async throws {
    let folder = try TemporaryDirectory()
    try folder.write(#"{"functions":{"f":{"environment":["DATABASE_URL","MY_TOKEN"]}}}"#, to: "functions.json")
    let secrets = ["DATABASE_URL": "postgres://u:s3cret@h/d", "MY_TOKEN": "s3cret", "RUNNER_KEY": "s3cret-of-16-bytes"]

    let outcome = try await BuiltExecutables.run(
      "runner", ["export", engine.rawValue, "--out", "-", "--project", folder.path], environment: secrets)

    #expect(outcome.exit == 0 && !outcome.stdout.contains("s3cret"))
    #expect(outcome.stdout.contains("export"))
  }
}

/// The dev container of the checkout, for those who cannot run the runner to export it.
struct DevContainerTests {
  @Test func itIsAsExported() throws {
    let files = try Deployment(of: try Bundle.own()).development

    #expect(ExportFolder("\(Validator.repository)/.devcontainer").difference(to: files) == "")
    #expect(files.map(\.path).sorted() == ["Dockerfile", "compose.yaml", "devcontainer.json"])
  }
}
