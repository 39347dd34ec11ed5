import FunctionKit
import Postgres
import TestSupport
import Testing

/// The bundle with its console in a browser, after something has happened.
struct ConsoleScene {
  let bundle: RunningBundle
  let served: Served
  let browser: Browser

  static let ben = "a0000000-0000-4000-8000-000000000002"
  static let dan = "a0000000-0000-4000-8000-000000000004"
  static let eva = "a0000000-0000-4000-8000-000000000005"

  /// - Parameter names: SQL that gives people and things other names before anything happens.
  init(names: String = "") async throws {
    bundle = try await RunningBundle()
    // Experiments are for a project's own database.
    try bundle.runner.ownDatabase()
    served = try await bundle.start(options: ["--console", "on"]).served
    let database = bundle.runner.database
    try await database.script(
      """
      \(names)
      INSERT INTO notification_settings (user_id, app, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('\(Self.dan)', 'feedbackkit', 'America/New_York', true, '22:00', '07:00');
      INSERT INTO feedbacks (title, category, user_id, user_email, project_id)
      VALUES ('Night mode', 'feature_request', 'sdk-grace', 'grace@example.com', 'b0000000-0000-4000-8000-000000000001');
      INSERT INTO votes (feedback_id, user_id, user_email)
      VALUES ('c0000000-0000-4000-8000-000000000001', 'sdk-ben', 'ben@example.com');
      WITH proposal AS (
        INSERT INTO event_proposals (group_id, created_by, title, deadline)
        VALUES (
          'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'Picnic', now() + '3 days')
        RETURNING id)
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at)
        SELECT gen_random_uuid(), id, now() + '4 days', now() + '4 days 2 hours' FROM proposal;
      """)
    try await bundle.runner.wait(
      until: """
        EXISTS (SELECT FROM decisions WHERE user_id = '\(unescaped: Self.dan)')
          AND 2 <= (SELECT count(*) FROM deliveries d JOIN notifications n ON n.id = d.notification_id
            WHERE d.state = 'accepted' AND n.type = 'proposal_created'
              AND d.user_id IN ('\(unescaped: Self.ben)', '\(unescaped: Self.eva)'))
        """)
    try await bundle.settle()
    browser = try await Browser()
    try await browser.show(.light)
  }

  /// The addresses of all pages that the navigation leads to, and of some below them.
  func pages() async throws -> [(name: String, url: String)] {
    try await browser.open("\(served.url)/_/console/functions")
    let links = try await browser.run(
      "return [...document.querySelectorAll('nav a')].map(a => [a.textContent, a.href])")
    let places = (links.elements ?? []).compactMap { link in
      link.elements.map { (name: $0[0].stringValue ?? "", url: $0[1].stringValue ?? "") }
    }
    let event: String = try await bundle.runner.database.query(
      "SELECT event_id AS id FROM decisions WHERE function = 'feedback-created' LIMIT 1"
    ).only().decode("id")
    let root = "\(served.url)/_/console"
    try await browser.open("\(root)/try")
    try await browser.pressEnter(at: "Cast a vote", role: "button")
    _ = try await browser.find("h1", "Cast a vote")
    let outcome = try await browser.url
    return places + [
      ("Find", "\(root)/find?q=dan"), ("Found", "\(root)/people?q=example"), ("Dan", "\(root)/people/\(Self.dan)"),
      ("Audience", "\(root)/explain/\(event)"), ("Ladder", "\(root)/explain/\(event)?user=\(Self.dan)"),
      ("Phones of Ben", "\(root)/phones?user=ben@example.com"), ("No page", "\(root)/nowhere"),
      ("Phones of nobody", "\(root)/phones?user=nobody"), ("Outcome", outcome),
    ]
  }

  func end() async throws { try await browser.quit() }
}
