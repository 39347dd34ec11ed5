import FunctionKit
import Glibc
import TestSupport
import Testing

@testable import PushEmulator

@Suite(.heavy)
struct CommandTests {
  @Test func servesUntilItIsToldToEnd() async throws {
    let directory = try TemporaryDirectory()
    let program = try RunningProgram("push-emulator", ["serve", "--directory", directory.path])

    let line = try await program.line { $0.hasPrefix(#"{"ready":true"#) }
    program.send(SIGTERM)

    let status = try await program.exit()
    #expect(status == 0, "\(program.lines)")
    let names = try RawJSON(validating: Array(line.utf8)[...])["environment"]?.members.map(\.name) ?? []
    #expect(
      names == [
        "APNS_URL", "APNS_SANDBOX_URL", "APNS_CA_PATH", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_KEY_PATH",
        "APNS_BUNDLE_ID", "APNS_TOPICS", "APNS_PRODUCTION", "FCM_URL", "FCM_CA_PATH", "FCM_SERVICE_ACCOUNT_PATH",
        "PUSH_EMULATOR_URL",
      ])
  }

  @Test func endsWithItsStdin() async throws {
    let directory = try TemporaryDirectory()

    let outcome = try await BuiltExecutables.run(
      "push-emulator", ["serve", "--directory", directory.path, "--exit-with-stdin"])

    #expect(outcome.exit == 0)
  }

  @Test func keysAreForTheOwnerAlone() async throws {
    let emulator = try await RunningEmulator.start()
    let path = "\(emulator.directory.path)/emulator"

    let modes = ["", "/ca-key.pem", "/server-key.pem", "/AuthKey_LOCALKEY01.p8", "/pushes.ndjson"].map { name in
      var status = stat()
      return stat(path + name, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    #expect(modes == [0o700, 0o600, 0o600, 0o600, 0o600])
    await emulator.stop()
  }

  @Test func curlCanPush() async throws {
    let emulator = try await RunningEmulator.start()

    let outcome = try await BuiltExecutables.run(
      "/usr/bin/curl",
      [
        "--silent", "--show-error", "--http2", "--cacert", emulator.authority, "--max-time", "120",
        "--header", "authorization: \(try emulator.authorization())", "--header", "apns-topic: \(Samples.topic)",
        "--data", #"{"aps":{"alert":"from curl"}}"#, "--write-out", "%{http_code} %{http_version}",
        "\(emulator.url)/3/device/\(Samples.token)",
      ])

    #expect(outcome.stdout == "200 2", "\(outcome.stderr)")
    #expect(try await emulator.pushes().first?["payload"]?["aps"]?["alert"]?.stringValue == "from curl")
    await emulator.stop()
  }

  @Test(.enabled(if: access("/usr/bin/nghttp", X_OK) == 0))
  func nghttpCanAsk() async throws {
    let emulator = try await RunningEmulator.start()

    let outcome = try await BuiltExecutables.run("/usr/bin/nghttp", ["--timeout=20s", "\(emulator.url)/devices"])

    #expect(outcome.stdout.contains(#"{"devices":[],"total":0"#))
    await emulator.stop()
  }

  @Test func pushesAreShownAsATableAndAsJSON() async throws {
    let emulator = try await RunningEmulator.start()
    try await emulator.pushWithoutToken()
    let environment = ["PUSH_EMULATOR_URL": emulator.url, "APNS_CA_PATH": emulator.authority]

    let table = try await BuiltExecutables.run("push-emulator", ["pushes"], environment: environment)
    let json = try await BuiltExecutables.run("push-emulator", ["pushes", "--json"], environment: environment)

    #expect(table.stdout.contains("[403 MissingProviderToken]"))
    #expect(try RawJSON(validating: Array(json.stdout.utf8)[...])["status"]?.intValue == 403)
    await emulator.stop()
  }

  @Test func pushesAreNarrowedAndWrittenForTheSimulator() async throws {
    try await withEmulator { emulator, client in
      let other = Samples.token.replacing("ab", with: "cd")
      for push in [try emulator.push(), try emulator.push(#"{"aps":{"alert":"x"},"type":"k"}"#, to: other)] {
        #expect(try await client.reason(push) == "")
      }
      let environment = ["PUSH_EMULATOR_URL": emulator.url, "APNS_CA_PATH": emulator.authority]
      func run(_ words: [String]) async throws -> BuiltExecutables.Outcome {
        try await BuiltExecutables.run("push-emulator", ["pushes"] + words, environment: environment)
      }

      let narrowed = try await run(["--json", "--token", "CD*", "--kind", "k"])
      let file = try await run(["--apns", "2"])
      let plain = try await run(["--apns", "2", "--plain"])
      let missing = try await run(["--apns", "9"])

      #expect(try RawJSON(validating: Array(narrowed.stdout.utf8)[...])["seq"]?.intValue == 2)
      #expect(file.stdout == #"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"x"},"type":"k"}"# + "\n")
      #expect(file.stderr == "xcrun simctl push booted com.example.app push-2.apns\n")
      #expect(plain.stdout == #"{"aps":{"alert":"x"},"type":"k"}"# + "\n")
      #expect(missing.exit == 64 && missing.stderr.contains("There is no push 9"))
    }
  }

  @Test func followingShowsWhatArrives() async throws {
    let emulator = try await RunningEmulator.start()
    let program = try RunningProgram(
      "push-emulator", ["pushes", "--follow", "--json"],
      environment: ["PUSH_EMULATOR_URL": emulator.url, "APNS_CA_PATH": emulator.authority])

    try await emulator.pushWithoutToken()

    try await program.line { $0.contains("MissingProviderToken") }
    await emulator.stop()
    #expect(try await program.exit() == 75)
  }

  @Test(
    arguments: [
      ([], 64), (["dance"], 64), (["serve"], 64), (["pushes", "--last", "x"], 64), (["pushes"], 78), (["--help"], 0),
      (["--version"], 0), (["serve", "--help"], 0), (["pushes", "--version"], 0),
      (["serve", "--directory", "/proc/nothing"], 70),
    ] as [([String], Int32)])
  func saysHowItWent(words: [String], exit: Int32) async throws {
    let outcome = try await BuiltExecutables.run("push-emulator", words)

    #expect(outcome.exit == exit)
    #expect((exit == 0 ? outcome.stderr : outcome.stdout).isEmpty)
  }

  @Test func anEmulatorThatIsGoneIsSaidToBe() async throws {
    let emulator = try await RunningEmulator.start()
    await emulator.stop()

    let outcome = try await BuiltExecutables.run(
      "push-emulator", ["pushes"],
      environment: ["PUSH_EMULATOR_URL": emulator.url, "APNS_CA_PATH": emulator.authority])

    #expect(outcome.exit == 75)
    #expect(outcome.stderr.contains("is the runner running?"))
  }
}
