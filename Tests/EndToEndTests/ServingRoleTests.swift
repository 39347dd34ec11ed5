import Foundation
import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// The whole bundle as a role that owns nothing, and has what `runner migrate --grant` gives it.
@Suite(.heavy)
struct ServingRoleTests {
  enum Server: CaseIterable {
    case plain, supabase

    /// Its roles and default privileges; the role of the test comes after `migrate`.
    var script: String {
      switch self {
      case .plain: ""
      case .supabase:
        """
        CREATE ROLE anon; CREATE ROLE authenticated; CREATE ROLE service_role BYPASSRLS;
        GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;
        """
      }
    }
  }

  private static let changes: [(path: String, body: String)] = [
    ("/api/v1/auth/notifications", #"{"pushNotifyVotes":true}"#),
    ("/api/v1/auth/notifications?app=lockitin", #"{"voteCast":true}"#),
    ("/api/v1/projects/b0000000-0000-4000-8000-000000000001/notification-preferences", #"{"push":{"votes":true}}"#),
  ]

  @Test(arguments: Server.allCases) func everythingWorksThatWorksForTheOwner(_ server: Server) async throws {
    let cluster = try await PrivateCluster()
    defer { withExtendedLifetime(cluster) {} }
    let owner = Connection(url: cluster.url(), applicationName: "test")
    try await owner.script(server.script)
    let bundle = try await RunningBundle(database: cluster.url())
    #expect(try await bundle.runner.run(["migrate"]).exit == 0)
    try await owner.script("CREATE ROLE functions LOGIN")
    let url = cluster.url().replacing("user=postgres", with: "user=functions")
    let asRole = ["DATABASE_URL": url]
    func doctor() async throws -> [RawJSON] {
      let words = ["doctor", "--json", "--project", bundle.runner.project.path]
      let outcome = try await BuiltExecutables.run("runner", words, environment: asRole)
      let findings = try RawJSON(validating: Array(outcome.stdout.utf8)[...]).elements ?? []
      return findings.filter { $0["check"]?.stringValue == "rights" }
    }
    #expect(try await doctor().contains { $0["detail"]?.stringValue?.hasSuffix("--grant functions") == true })

    #expect(try await bundle.runner.run(["migrate", "--grant", "functions"]).exit == 0)
    #expect(try await doctor().map { $0["ok"] } == [RawJSON(true)])
    let phones = try await bundle.start(environment: asRole)

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
    await owner.close()
  }
}
