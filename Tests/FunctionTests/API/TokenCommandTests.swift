import API
import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

@testable import Devices

/// `runner token`, run as a program.
@Suite(.heavy)
struct TokenCommandTests {
  private func token(_ words: [String], _ scene: APIScene) async throws -> (exit: Int32, out: String, err: String) {
    let outcome = try await BuiltExecutables.run(
      "push", ["token"] + words, environment: ["DATABASE_URL": scene.demo.url])
    return (outcome.exit, outcome.stdout, outcome.stderr)
  }

  @Test func aTokenOpensTheAPIUntilItIsRevoked() async throws {
    let scene = try await APIScene()

    let made = try await token(["create", "--user", "ben@example.com", "--name", "phone", "--json"], scene)

    let document = try RawJSON(validating: Array(made.out.utf8).dropLast()[...])
    let secret = try #require(document["token"]?.stringValue)
    #expect(try await scene.call(scene.devices, .get, "/api/v1/devices", token: secret).status == 200)
    let list = try await token(["list", "--user", "ben@example.com"], scene)
    #expect(list.out.contains("phone") && !list.out.contains(secret))
    let id = try #require(document["id"]?.stringValue)
    #expect(try await token(["revoke", id], scene).exit == 0)
    #expect(try await scene.call(scene.devices, .get, "/api/v1/devices", token: secret).status == 401)
    #expect(try await token(["revoke", id], scene).exit == 66)
  }

  @Test(arguments: [
    (["create"], 64, "--user is missing"), (["create", "--user", "nobody@example.com"], 66, "Nobody has the e-mail"),
    (["create", "--user", "ada@example.com", "--expires", "soon"], 64, "\"soon\" is no length of time"),
    (["create", "--user", "ada@example.com", "--expires", "3651d"], 64, "--expires takes at most 3650d"),
    (["create", "--user", "ada@example.com", "--nmae", "red"], 64, "--nmae; did you mean --name?"),
    (
      ["list", "--user", "ada@example.com", "--name", "x"], 64,
      "--name is given twice, or does not go with the other words"
    ),
    (["create", "--user"], 64, "--user takes a value"), (["revoke", "7"], 64, "by its id"), ([], 64, "Say create"),
    (["lits"], 64, "did you mean list?"),
  ])
  func whatIsWrongIsSaid(_ words: [String], _ exit: Int32, _ sentence: String) async throws {
    let outcome = try await token(words, try await APIScene())

    #expect(outcome.exit == exit)
    #expect(outcome.err.contains(sentence), "\(outcome.err)")
    #expect(outcome.out.isEmpty)
  }

  @Test func aTokenIsShownToAPersonWithTheWayToEndIt() async throws {
    let scene = try await APIScene()

    let outcome = try await token(["create", "--user", "ada@example.com", "--expires", "12h"], scene)

    #expect(outcome.exit == 0)
    #expect(outcome.out.hasPrefix("pf_"))
    #expect(outcome.out.contains("runner token revoke "))
  }
}
