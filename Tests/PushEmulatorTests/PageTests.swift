import Foundation
import FunctionKit
import TestSupport
import Testing

@testable import PushEmulator

/// The lines that the emulator's page, `Runner/PushEmulator/README.md`, tells its readers to type.
@Suite(.heavy)
struct PageTests {
  @Test func theExamplesWorkInTheirOrder() async throws {
    let emulator = try await RunningEmulator.start()
    let page = try String(contentsOfFile: Self.path, encoding: .utf8)
    let script = Self.examples(in: page).dropFirst().joined(separator: "\n")
      .replacing("https://127.0.0.1:2197", with: emulator.url)

    let outcome = try await BuiltExecutables.run(
      "/bin/bash", ["-euc", "cd '\(emulator.directory.path)'; exec 2>&1\n\(script)\ncat push-1.apns"],
      environment: ["PATH": "\(BuiltExecutables.directory):/usr/bin:/bin"], timeout: .seconds(120))

    #expect(outcome.exit == 0, "\(outcome.stdout)")
    #expect(outcome.stdout.contains("xcrun simctl push booted com.example.app push-1.apns"), "\(outcome.stdout)")
    #expect(outcome.stdout.contains(#"{"Simulator Target Bundle":"com.example.app""#), "\(outcome.stdout)")
    #expect(!outcome.stdout.contains(#""error""#), "\(outcome.stdout)")
    await emulator.stop()
  }

  @Test func aTokenIsMadeWithTheKeyOfTheEnvironmentToo() async throws {
    let emulator = try await RunningEmulator.start()
    let variables = emulator.environment.members.map { ($0.name, $0.value.stringValue ?? "") }

    let given = try await BuiltExecutables.run(
      "push-emulator", ["token"], environment: Dictionary(uniqueKeysWithValues: variables))
    let none = try await BuiltExecutables.run("push-emulator", ["token"])

    #expect(given.exit == 0 && given.stdout.split(separator: ".").count == 3)
    #expect(none.exit == 78 && none.stderr.contains("--directory DIR"))
    await emulator.stop()
  }

  private static let path =
    #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Runner/PushEmulator/README.md"

  /// The blocks of shell commands.
  private static func examples(in page: String) -> [Substring] {
    page.split(separator: "```").filter { $0.hasPrefix("sh\n") }.map { $0.dropFirst(3) }
  }
}
