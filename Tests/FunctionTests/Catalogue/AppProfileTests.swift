import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushPayload
import TestSupport
import Testing

/// SQL files and documents say of the apps what their profiles say.
@Suite(.heavy)
struct AppProfileTests {
  @Test(arguments: App.allCases) func theTablesHaveTheColumnsOfTheProfile(app: App) async throws {
    let rows = try await Demo().connection.query(
      "SELECT table_name, array_agg(column_name::text) AS columns FROM information_schema.columns GROUP BY table_name")
    let tables = try rows.reduce(into: [String: [String]]()) { tables, row in
      tables[try row.decode("table_name")] = try row.decode("columns")
    }
    let (profile, preferences) = (app.profile, app.profile.preferences)
    func check(_ columns: [String], in table: String) {
      #expect(tables[table] != nil, "\(app.rawValue): no migration makes \(table)")
      for column in columns { #expect(tables[table]?.contains(column) == true, "\(app.rawValue): \(table).\(column)") }
    }

    let switches = profile.kinds.map(\.preference)
    let holder = preferences.hasSwitchesInUsers ? "users" : preferences.table
    check(
      ["user_id", preferences.sound, preferences.systemSummaries, "timezone", "hourly_limit"], in: preferences.table)
    check(preferences.isShared ? ["app"] : [], in: preferences.table)
    check(preferences.limitsAnalyses ? ["max_analyses_per_hour", "fallback_strategy"] : [], in: preferences.table)
    check([preferences.masterSwitch] + switches.flatMap { [$0.column, $0.shared].compactMap(\.self) }, in: holder)
    check(switches.compactMap(\.ofProposal), in: "event_proposals")
    guard let groups = profile.groups else {
      #expect(!switches.contains { $0.isInGroups }, "\(app.rawValue) has no groups")
      return
    }
    check(["user_id", groups.column, "updated_at"], in: groups.table)
    check(
      switches.filter(\.isInGroups).flatMap { [$0.column, $0.sharedInGroups].compactMap(\.self) }, in: groups.table)
    check(["id", "name"], in: groups.parents)
    check([groups.level.column], in: groups.table)
    for case .row(let table, let id) in groups.places {
      check([groups.column], in: table)
      check([id], in: "notifications")
    }
  }

  @Test func aKindBelongsToTheAppThatListsIt() {
    for app in App.allCases {
      for kind in app.profile.kinds {
        #expect(kind.app == app, "\(kind.name)")
        #expect((kind.section != nil) == app.profile.hasSections, "\(kind.name) of \(app.rawValue): its section")
      }
    }
  }

  /// `push_badges` counts what the profile says: nothing that was told, single notifications, or all that they stand for.
  @Test(arguments: App.allCases) func theBadgeCountsWhatTheProfileSays(app: App) async throws {
    let demo = try await Demo()
    let badge: SQL = "SELECT badge FROM push_badges(\(Person.hugo.id)::uuid, \(app.rawValue), \(Demo.now))"
    let before: Int = try await demo.connection.query(badge).only().decode("badge")
    _ = try await demo.connection.query(
      """
      WITH one AS (
        INSERT INTO notifications (user_id, app, type, title, body, counts_for_badge)
        VALUES (\(Person.hugo.id)::uuid, \(app.rawValue), 'x', 'x', 'x', true) RETURNING id)
      INSERT INTO notifications (user_id, app, type, title, body, counts_for_badge, merged_into)
      SELECT \(Person.hugo.id)::uuid, \(app.rawValue), 'x', 'x', 'x', false, id FROM one
      """)

    let after: Int = try await demo.connection.query(badge).only().decode("badge")

    let expected: Int =
      switch app.profile.badge {
      case .asked: 0
      case .unread: 1
      case .unreadParts: 2
      }
    #expect(after - before == expected, "\(app.rawValue)")
  }

  /// The policies, indexes and triggers of SQL files name apps and kinds that there are.
  @Test func migrationsNameOnlyKindsThatThereAre() {
    let names = Set(Kind.catalogue.map(\.name) + ["quiet_summary", "badge", "live_activity", "vote_count"])
    for migration in Schema.migrations {
      for match in migration.sql.matches(of: /\b(?:type|kind)\)? (?:= |IN \()((?:\s*'[a-z_]+',?)+)/) {
        for name in match.1.split(separator: "'").map(String.init) where name.contains(/^[a-z_]+$/) {
          #expect(names.contains(name), "\(migration.name): \(name)")
        }
      }
    }
  }

  /// Devices that name no topic have this one in a local bundle.
  @Test(arguments: App.allCases) func theEmulatorKnowsTheTopicOfTheProfile(app: App) throws {
    let text = try Repository.text("Runner/PushEmulator/Basics/EmulatorDirectory.swift")
    let expected = app == .default ? "\"\(app.profile.topic)\"" : "\(app.rawValue)=\(app.profile.topic)"

    #expect(text.contains(expected), "\(app.rawValue)")
  }

  @Test func functionsJSONNamesTheApps() throws {
    let bundle = try RawJSON(validating: Array(Repository.text("functions.json").utf8)[...])

    #expect(bundle["apps"]?.members.map(\.name) == App.allCases.map(\.rawValue).sorted())
  }

  /// A link of a payload on file leads into the app.
  @Test(arguments: App.allCases) func aPayloadsLinkIsReadByTheProfile(app: App) throws {
    for kind in app.profile.kinds {
      let file = "Tests/FunctionTests/Payloads/\(app.rawValue)/\(kind.name).json"
      guard let text = try? Repository.text(file), let payload = PushPayload(json: text.utf8) else { continue }
      let hasLinks = app != .mugshot && app != .messageAI
      #expect((app.profile.link(payload) != nil) == hasLinks, "\(kind.name)")
      let other: PushPayload.IDKey = app.profile.idKey == .camelCase ? .snakeCase : .camelCase
      #expect(payload.values[other.rawValue] == nil, "\(kind.name)")
    }
  }
}
