import Foundation
import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// The whole bundle as a role that owns nothing, and has what `runner migrate --grant` gives it.
@Suite(.heavy)
struct ServingRoleTests {
  private static let changes: [(path: String, body: String)] = [
    ("/api/v1/auth/notifications", #"{"pushNotifyVotes":true}"#),
    ("/api/v1/auth/notifications?app=lockitin", #"{"voteCast":true}"#),
    ("/api/v1/projects/b0000000-0000-4000-8000-000000000001/notification-preferences", #"{"push":{"votes":true}}"#),
  ]

  @Test(arguments: RoleServer.allCases) func everythingWorksThatWorksForTheOwner(_ server: RoleServer) async throws {
    let access = try await server.makeDatabase("bundle")
    let bundle = try await RunningBundle(environment: ["DATABASE_URL": access.role], database: access.owner)
    #expect(try await access.migrate(bundle.runner).exit == 0)
    let owner = bundle.runner.database
    func doctor() async throws -> [RawJSON] {
      let outcome = try await bundle.runner.run(["doctor", "--json"])
      let findings = try RawJSON(validating: Array(outcome.stdout.utf8)[...]).elements ?? []
      return findings.filter { $0["check"]?.stringValue == "rights" }
    }
    #expect(try await doctor().contains { $0["detail"]?.stringValue?.hasSuffix("--grant \(RoleServer.role)") == true })

    try await access.letRoleIn(bundle.runner)
    #expect(try await doctor().map { $0["ok"] } == [RawJSON(true)])
    let phones = try await bundle.start(migrates: false)

    let created = try await bundle.runner.run(["token", "create", "--user", "ada@example.com", "--json"])
    let token = try RawJSON(validating: Array(created.stdout.utf8)[...])["token"]?.stringValue ?? ""
    let headers: [(name: String, value: String)] = [
      ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"),
    ]
    for change in Self.changes {
      let answer = try await phones.served.request(change.path, change.body, method: .patch, headers: headers)
      #expect(answer.status == 200, "\(change.path): \(answer.text)")
    }
    try await owner.script(
      """
      INSERT INTO votes (feedback_id, user_id) VALUES ('c0000000-0000-4000-8000-000000000001', 'somebody');
      UPDATE feedbacks SET status = 'completed' WHERE id = 'c0000000-0000-4000-8000-000000000001'
      """)
    #expect(try await bundle.runner.run(["schedules", "fire", "notification-cleanup"]).exit == 0)
    try await bundle.settle()

    let kinds = Set(try await phones.pushes().compactMap { $0["payload"]?["type"]?.stringValue })
    #expect(kinds.isSuperset(of: ["new_feedback", "new_comment", "new_vote", "status_change"]))
    #expect(!phones.served.program.lines.contains { $0.contains("42501") || $0.contains("permission denied") })

    // A view that may not be read spoils neither the first page nor the command.
    try await owner.script("REVOKE SELECT ON push_outages FROM PUBLIC, \(RoleServer.role)")
    let page = try await ServedConsole(served: phones.served).get("/_/console/")
    let status = try await bundle.runner.run(["status", "--json"])
    let waiting = try RawJSON(validating: Array(status.stdout.utf8)[...])["waiting"]
    #expect(page.status == 200, "\(page.text)")
    #expect(status.exit == 0 && waiting?["events"] != nil, "\(status.stdout)")
    #expect(try await doctor().contains { $0["detail"]?.stringValue?.contains("push_outages") == true })
  }
}
