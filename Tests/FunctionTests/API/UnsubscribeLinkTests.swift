import API
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

/// `runner unsubscribe-link`, run as a program.
@Suite(.heavy)
struct UnsubscribeLinkTests {
  private func link(
    _ words: [String], _ scene: APIScene, secret: String? = APIScene.secret
  ) async throws -> (exit: Int32, out: String, err: String) {
    let environment = ["DATABASE_URL": scene.demo.url].merging(secret.map { ["UNSUBSCRIBE_SECRET": $0] } ?? [:]) { $1 }
    let outcome = try await BuiltExecutables.run("push", ["unsubscribe-link"] + words, environment: environment)
    return (outcome.exit, outcome.stdout, outcome.stderr)
  }

  private static let ada = ["--user", "Ada@example.com"]

  @Test func aLinkSwitchesOffWhatItWasMadeFor() async throws {
    let scene = try await APIScene()

    let made = try await link(
      Self.ada + ["--app", "feedbackkit", "--kind", "new_vote", "--base-url", "https://push.example.com/", "--json"],
      scene)

    let document = try RawJSON(validating: Array(made.out.utf8).dropLast()[...])
    let url = try #require(document["url"]?.stringValue)
    #expect(url.hasPrefix("https://push.example.com/api/v1/unsubscribe?token="))
    #expect(document["headers"]?["List-Unsubscribe"]?.stringValue == "<\(url)>")
    #expect(document["headers"]?["List-Unsubscribe-Post"]?.stringValue == "List-Unsubscribe=One-Click")
    let token = String(url.split(separator: "=")[1])
    #expect(try await scene.follow(token, .post, form: "List-Unsubscribe=One-Click").status == 200)
    let value = try await scene.text(
      "SELECT push_notify_votes::text AS value FROM users WHERE id = \(Person.ada.id)::uuid")
    #expect(value == "false")
  }

  @Test(arguments: [
    (["--project-id", APIScene.project], 0, ""), (["--group-id", APIScene.group], 0, ""),
    (["--project-id", "7"], 64, "--project-id takes a UUID"), ([], 64, "Say --project-id ID"),
    (["--kind", "x"], 64, "--app is missing"),
    (["--app", "lockitin", "--kind", "conflict_alert"], 64, "cannot be switched off"),
    (["--app", "lockitin", "--kind", "x"], 64, "--kind takes one of"),
    (["--app", "x", "--kind", "x"], 64, "--app takes one of"),
    (["--project-id", APIScene.group], 66, "There is no project"),
    (
      ["--project-id", APIScene.project, "--group-id", APIScene.group], 64,
      "--group-id is given twice, or does not go with"
    ),
    (["--project-id", APIScene.project, "--proposal-id", Demo.proposal], 64, "--proposal-id"),
    (
      ["--app", "feedbackkit", "--kind", "new_vote", "--proposal-id", Demo.proposal], 64, "goes with a group or a kind"
    ),
    (["--group-id", APIScene.group, "--proposal-id", APIScene.group], 66, "has no such proposal"),
    (["--project-id", APIScene.project, "--base-url", "ftp://x"], 64, "--base-url takes a URL"),
    (["x"], 64, "Unknown argument x"),
  ])
  func whatIsWrongIsSaid(_ words: [String], _ exit: Int32, _ sentence: String) async throws {
    let outcome = try await link(Self.ada + words, try await APIScene())

    #expect(outcome.exit == exit, "\(outcome.err)")
    #expect(outcome.err.contains(sentence) == !sentence.isEmpty || exit == 0, "\(outcome.err)")
    #expect(outcome.out.isEmpty == (exit != 0))
  }

  @Test func withoutASecretThereIsNoLink() async throws {
    let scene = try await APIScene()
    let words = Self.ada + ["--project-id", APIScene.project]

    #expect(try await link(words, scene, secret: nil).exit == 78)
    #expect(try await link(words, scene, secret: "short").err.contains("UNSUBSCRIBE_SECRET must hold"))
    #expect(try await link(["--user", "nobody@example.com"] + words.suffix(2), scene).exit == 66)
  }
}
