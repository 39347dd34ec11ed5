import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// A link of a mail, from the command that makes it to the switch that it turns.
@Suite(.heavy)
struct UnsubscribeTests {
  private static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

  @Test func aMailProgramUnsubscribesWithOneClick() async throws {
    let bundle = try await RunningBundle(environment: ["UNSUBSCRIBE_SECRET": Self.secret])
    let served = try await bundle.start().served
    let made = try await BuiltExecutables.run(
      "runner",
      [
        "unsubscribe-link", "--project", bundle.runner.project.path, "--user", "grace@example.com",
        "--project-id", "b0000000-0000-4000-8000-000000000001", "--base-url", served.url,
      ],
      environment: ["DATABASE_URL": bundle.runner.databaseURL, "UNSUBSCRIBE_SECRET": Self.secret])
    let link = try #require(made.stdout.split(separator: "\n").first)
    let path = String(link.dropFirst(served.url.count))

    let page = try await served.request(path, headers: [("Accept", "text/html")])
    let oneClick = try await served.request(
      path, "List-Unsubscribe=One-Click", method: .post,
      headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")])

    #expect(page.status == 200)
    #expect(page.text.contains("<h1>Turn these notifications off?</h1>"))
    #expect(page.headers.contains { $0.name.lowercased() == "content-security-policy" })
    #expect(oneClick.status == 200)
    #expect(oneClick.json?["unsubscribed"] == RawJSON(true))
    let muted = try await bundle.runner.database.query(
      """
      SELECT FROM project_member_preferences p JOIN users u ON u.id = p.user_id
      WHERE p.push_muted AND u.email = 'grace@example.com'
      """)
    #expect(muted.count == 1)
  }
}
