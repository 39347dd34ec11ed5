import Foundation
import PersonLive
import Postgres
import TestSupport
import Testing

/// Columns of an app's own tables that its database does not have, and what the functions make of that.
@Suite(.heavy)
struct LackingColumnsTests {
  /// `"mayLack"` of `functions.json`: by tables, each column with what its lack costs.
  static let mayLack: [String: [String: String?]] = {
    struct Manifest: Decodable { let mayLack: [String: [String: String?]] }
    let text = (try? Repository.text("functions.json")) ?? ""
    return (try? JSONDecoder().decode(Manifest.self, from: Data(text.utf8)))?.mayLack ?? [:]
  }()
  private static let costly = mayLack.flatMap { table, columns in
    columns.filter { $0.value != nil }.map { "\(table).\($0.key)" }
  }.sorted()

  @Test func thePersonalPreferencesOfFeedbackKitCanCost() {
    #expect(Self.costly.count == 4 && Self.costly.allSatisfy { $0.hasPrefix("users.") })
  }

  @Test(arguments: [
    (["users.a"], "users.a"), (["users.a", "users.b"], "users.a and users.b"),
    (["users.a", "users.b", "users.c"], "users.a, users.b and users.c"),
  ])
  func severalColumnsAreAList(names: [String], list: String) {
    #expect("\(LackingColumns(names: names))" == "This needs \(list), which the database does not have.")
  }

  @Test(arguments: costly) func theAnswerIs501ThatNamesIt(_ column: String) async throws {
    let scene = try await APIScene()
    try await scene.connection.script("ALTER TABLE users DROP COLUMN \(column.dropFirst("users.".count))")

    let change = try await scene.patch(APIScene.personal, #"{"pushNotifyVotes":false,"hourlyLimit":3}"#)
    let read = try await scene.read(APIScene.personal)

    let reason = "This needs \(column), which the database does not have."
    #expect(change.status == 501 && change.reason == reason)
    // Only a change writes the time of the change.
    #expect(read.status == (column == "users.updated_at" ? 200 : 501))
    #expect(try await scene.connection.query("SELECT FROM notification_settings WHERE hourly_limit = 3").isEmpty)
  }

  /// Columns that no app is expected to lack: the call says so, and the others are answered as ever.
  @Test(arguments: [
    ("projects", "owner_id", APIScene.projectPath, APIScene.groupPath),
    ("group_members", "user_id", APIScene.groupPath, APIScene.projectPath),
  ])
  func anyOtherColumnIsNamedToo(table: String, column: String, path: String, other: String) async throws {
    let scene = try await APIScene()
    try await scene.connection.script("ALTER TABLE \(table) RENAME COLUMN \(column) TO other_\(column)")

    let answer = try await scene.read(path)

    #expect(answer.status == 501 && answer.reason?.contains(column) == true)
    #expect(try await scene.read(other).status == 200)
  }

  /// The other apps' people have none of FeedbackKit's columns.
  @Test(arguments: ["lockitin", "repairminder", "mugshot", "messageai"])
  func theOtherAppsAreAnsweredAsEver(_ app: String) async throws {
    let scene = try await APIScene()
    for column in Self.costly {
      try await scene.connection.script("ALTER TABLE users DROP COLUMN \(column.dropFirst(6))")
    }

    #expect(try await scene.patch(APIScene.personal, app: app, #"{"hourlyLimit":3}"#)["hourlyLimit"] == "3")
    #expect(try await scene.read(APIScene.personal, app: app).status == 200)
    #expect(try await scene.patch(APIScene.projectPath, #"{"push":{"muted":true}}"#).status == 200)
  }

  /// Nothing that asks for a person, or for what is theirs, needs one of those columns.
  @Test func whatCostsNothingIsNotAskedFor() async throws {
    let scene = try await APIScene()
    for (table, columns) in Self.mayLack {
      for (column, cost) in columns where cost == nil {
        try await scene.connection.script("ALTER TABLE \(table) DROP COLUMN \(column)")
      }
    }

    #expect(try await scene.tokens.issue(to: "ada@example.com", name: "test", lasting: 60) != nil)
    #expect(try await scene.tokens.tokens(of: "ada@example.com").count == 1)
    let named = try await UnsubscribeStore(scene.connection).person(named: "ADA@example.com")
    #expect(named?.id.uuidString.lowercased() == Person.ada.id)
    for path in [APIScene.personal, APIScene.projectPath, APIScene.groupPath] {
      #expect(try await scene.read(path).status == 200, "\(path)")
    }
  }
}
