import FoundationEssentials
import Notifications
import TestSupport
import Testing

/// Everything that leaves is true when it leaves: each kind of the catalogue, by each way that it can go.
@Suite(.heavy)
struct LeavingTests {
  @Test(arguments: Kind.catalogue.map { "\($0.app.rawValue) \($0.name)" })
  func everyKindHasARow(name: String) throws {
    let kind = try #require(Kind.catalogue.first { "\($0.app.rawValue) \($0.name)" == name })
    #expect(Told.of(kind) != nil, "Tests/FunctionTests/Leaving has no scene for \(name)")
  }

  @Test(arguments: LeavingWay.allCases)
  func whatLeavesIsTrue(way: LeavingWay) async throws {
    let kinds = Kind.catalogue.filter { LeavingWay(way, of: $0) != nil }
      .compactMap { kind in Told.of(kind).map { (app: kind.app, name: kind.name, told: $0) } }
    let silent = Told.lockItIn["vote_count"].map { [(app: App.lockItIn, name: "vote_count", told: $0)] } ?? []
    let scene = try await LeavingScene(way == .silent ? silent : kinds, by: way)
    #expect(!scene.cells.isEmpty)

    let sent = try await scene.play()

    for cell in scene.cells where !(way == .atOnce && cell.turn == .change && cell.told.saysItsEvent) {
      let (pushes, told) = (sent[cell.phone] ?? [], cell.told)
      let what: Comment = "\(way): \(cell.app.rawValue) \(cell.name), \(cell.turn): \(pushes)"
      let isSummed = way == .summary || way == .summaryAgain
      if cell.turn != .nothing { #expect(!pushes.contains { says(told.before, $0) }, what) }
      switch cell.turn {
      case .end where way == .summary: #expect(pushes.count == 3 && pushes.allSatisfy { $0.contains("Filler") }, what)
      case .end where way == .summaryAgain: #expect(pushes.count == 1 && says(["3 things"], pushes[0]), what)
      case .end: #expect(pushes.isEmpty, what)
      case .nothing, .change:
        #expect(pushes.count == 1 && (!isSummed || says(["4 things"], pushes[0])), what)
        let words = isSummed ? try await scene.entries(of: cell) : pushes
        let wanted = cell.turn == .change ? [told.after] : told.before
        #expect(words.count == 1 && words.allSatisfy { says(wanted, $0) }, "\(what) \(words)")
      }
    }
  }

  private func says(_ words: [String], _ text: String) -> Bool { words.contains { text.contains($0) } }
}
