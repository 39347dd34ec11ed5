import FunctionKit
import Signing
import TestSupport
import Testing

/// `runner doctor push`: a subject that the bundle gives to a command of the runner's own.
@Suite(.heavy)
struct DoctorSubjectTests {
  @Test func thePushDoctorGetsWhatPushDeliveryGetsAndReachesTheEmulator() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()

    let outcome = try await bundle.runner.run(["doctor", "push", "--live"])
    let json = try await bundle.runner.run(["doctor", "push", "--json"])

    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stdout.contains("answers as APNs does") && outcome.stdout.contains("agrees with the database"))
    #expect(try RawJSON(validating: Array(json.stdout.utf8)[...]).elements?.isEmpty == false)
    // The probe is not a push that a phone shows.
    let probed = String(repeating: "0", count: 64)
    #expect(try await phones.pushes().allSatisfy { $0["token"]?.stringValue != probed })
  }

  @Test func withoutAConfigurationItSaysWhatToSet() async throws {
    let bundle = try await RunningBundle()

    let outcome = try await bundle.runner.run(["doctor", "push"])

    #expect(outcome.exit == 78 && outcome.stdout.contains("set APNS_KEY_ID"))
  }

  @Test func helpIsTheSubjectsOwnAndTheDoctorsNamesIt() async throws {
    let bundle = try await RunningBundle()

    let own = try await bundle.runner.run(["doctor", "push", "--help"])

    #expect(own.exit == 0 && own.stdout.contains("usage: runner doctor push"))
    let overview = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "cd '\(bundle.runner.project.path)' && '\(BuiltExecutables.path(of: "runner"))' --help"])
    #expect(overview.stdout.contains("  doctor push      check the keys, tables and connections that pushes need\n"))
    let page = try await BuiltExecutables.run(
      "/bin/sh",
      ["-c", "cd '\(bundle.runner.project.path)' && '\(BuiltExecutables.path(of: "runner"))' doctor --help"])
    #expect(page.stdout.contains("runner doctor push   check the keys"))
  }

  @Test func aSubjectThatNobodyKnowsIsRefused() async throws {
    let bundle = try await RunningBundle()

    let outcome = try await bundle.runner.run(["doctor", "psuh"])

    #expect(outcome.exit == 64 && outcome.stderr.contains("no command doctor psuh; did you mean doctor push?"))
  }

  /// A path of a setting begins in the folder of functions.json, wherever somebody stands.
  @Test func pathsInSettingsAreTheProjects() async throws {
    let bundle = try await RunningBundle()
    let folder = bundle.runner.project
    try folder.write(try SigningKey.generate().privatePEM(), to: "key.p8")
    let variables = [
      "APNS_KEY_ID=ABC123DEFG", "APNS_TEAM_ID=DEF123GHIJ", "APNS_BUNDLE_ID=com.example.app", "APNS_PRODUCTION=false",
      "APNS_KEY_PATH=key.p8", "DATABASE_URL=\(bundle.runner.databaseURL)",
    ]
    try folder.write(variables.joined(separator: "\n") + "\n", to: ".env")

    for words in ["doctor push", "doctor", "invoke push-delivery"] {
      let outcome = try await BuiltExecutables.run(
        "/bin/sh", ["-c", "cd '\(folder.path)/Tests' && '\(BuiltExecutables.path(of: "runner"))' \(words)"],
        stdin: "{}")
      #expect(!"\(outcome)".contains("does not exist"), "\(words): \(outcome)")
      if words != "doctor" { #expect(outcome.exit == 0, "\(words): \(outcome)") }
    }
  }

  /// A key of APNs without the variable that says which environment it is for.
  @Test func theDoctorItselfNamesWrongSettings() async throws {
    let bundle = try await RunningBundle(environment: [
      "APNS_KEY_ID": "ABC123DEFG", "RUNNER_TRUSTED_PROXIES": "127.0.0.1",
    ])
    let sentence = "APNS_PRODUCTION is missing: it must be true or false"

    for words in [["doctor"], ["doctor", "push"]] {
      let outcome = try await bundle.runner.run(words + ["--json"])
      #expect(outcome.exit == 78 && outcome.stdout.contains(sentence), "\(words): \(outcome.stdout)")
    }
    #expect(try await bundle.runner.run(["doctor"]).stdout.contains("Set RUNNER_KEY"))
  }

  @Test func theDoctorItselfStillChecksEverythingElse() async throws {
    let bundle = try await RunningBundle()

    let outcome = try await bundle.runner.run(["doctor", "--json"])

    #expect(outcome.stdout.contains("functions.json") && outcome.stdout.contains("executables"))
  }
}
