import FunctionKit
import TestSupport
import Testing

/// Every call of the API and every function, on databases that other apps have made.
@Suite(.heavy, .qualifiesReleases)
struct ForeignDatabasesTests {
  @Test(arguments: ForeignDatabase.allCases)
  func everythingWorksOrIsRefusedWithASentence(_ database: ForeignDatabase) async throws {
    let scene = try await ForeignScene(database)
    let before = try await scene.migrate()
    let migrated = try await scene.ownTables(like: before)
    #expect(before.shapeLost(in: migrated) == [])
    #expect(before.rowsChanged(in: migrated) == [])

    let served = try await scene.start()
    let acts = ForeignAct.all(on: database)
    for act in acts { try await served.play(act) }
    if let unread = try await served.unread() {
      #expect(unread.api == unread.own, "what is unread")
      #expect(unread.blank == 0, "the app's inbox shows entries without words")
    }
    try await served.call(ForeignCall.all)
    let done = Set(acts.flatMap(\.functions)).union(database.left.functions)
    try await served.call(ForeignSample.all.filter { !done.contains($0.function) })

    try await served.expectHealth()
    let after = try await scene.ownTables(like: before)
    #expect(before.shapeLost(in: after) == [])
    #expect(before.rowsDeleted(in: after) == [])
  }

  /// Where an app says neither yes nor no, all is as by default.
  @Test(arguments: ForeignDatabase.allCases)
  func aBooleanThatIsNullIsTheDefault(_ database: ForeignDatabase) async throws {
    let scene = try await ForeignScene(database, isBlank: true)
    let before = try await scene.migrate()
    let migrated = try await scene.ownTables(like: before)
    #expect(before.rowsChanged(in: migrated) == [])

    let served = try await scene.start()
    for act in ForeignAct.all(on: database) { try await served.play(act) }
    if let unread = try await served.unread() { #expect(unread.api == unread.own, "what is unread") }
    try await served.call(ForeignCall.all)

    try await served.expectHealth()
  }
}

/// The shapes that the tables of the foreign databases have to cover.
struct ForeignTablesTests {
  private func functions() throws -> [RawJSON.Member] {
    try RawJSON(validating: Array(House.text("functions.json").utf8)[...])["functions"]?.members ?? []
  }

  private func routes(_ function: RawJSON) -> [String] {
    (function["triggers"]?.elements ?? []).flatMap { $0["routes"]?.elements ?? [] }.compactMap(\.stringValue)
  }

  @Test func everyRouteHasACell() throws {
    let routes = try Set(functions().flatMap { self.routes($0.value) })

    #expect(Set(ForeignCall.all.map(\.route)) == routes, "ForeignCall has what each route answers")
    #expect(ForeignCall.all.allSatisfy { [1, 4].contains($0.answers.count) })
  }

  @Test(arguments: ForeignDatabase.allCases) func everyFunctionHasACell(_ database: ForeignDatabase) throws {
    let functions = try functions()
    // A function that is being written has no trigger yet; those with routes have the cells of their routes.
    let called = functions.filter { $0.value["triggers"] != nil && routes($0.value).isEmpty }.map(\.name)

    let cells = Set(ForeignAct.all(on: database).flatMap(\.functions) + ForeignSample.all.map(\.function))

    #expect(cells.isSuperset(of: called), "ForeignAct or ForeignSample has what each function does")
    #expect(cells.isSubset(of: functions.map(\.name)))
  }
}
