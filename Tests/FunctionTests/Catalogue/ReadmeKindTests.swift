import Foundation
import Notifications
import Testing

/// The tables of kinds in `Functions/README.md` say what the catalogue says.
struct ReadmeKindTests {
  @Test(arguments: App.allCases) func theTableOfAnAppIsItsCatalogue(app: App) throws {
    let rows = try rows(of: app)
    let kinds = app.profile.kinds

    #expect(rows.map(\.kind).sorted() == kinds.map(\.name).sorted())
    for kind in kinds {
      let row = try #require(rows.first { $0.kind == kind.name }, "\(kind.name)")
      #expect(row.cells["importance"] == kind.importance.rawValue, "\(kind.name)")
      #expect(row.code("category") == kind.category, "\(kind.name)")
      #expect(row.code("merged") == kind.family?.rawValue, "\(kind.name)")
      #expect(row.cells["quiet hours"] ?? "waits" == kind.quietHours.word, "\(kind.name)")
      #expect(row.code("switch") == kind.shownSwitch, "\(kind.name)")
      #expect(row.cells["switch"]?.hasSuffix(", off") ?? false == !kind.isOnByDefault, "\(kind.name)")
    }
  }

  private struct Row {
    /// By the names of their columns.
    let cells: [String: String]

    var kind: String { code("kind") ?? "" }

    /// The first name in a cell.
    func code(_ column: String) -> String? {
      let parts = (cells[column] ?? "").split(separator: "`", omittingEmptySubsequences: false)
      return parts.count > 1 ? String(parts[1]) : nil
    }
  }

  private func rows(of app: App) throws -> [Row] {
    let title = "\n### \(app.profile.title)\n"
    let readme = try Repository.text("Functions/README.md")
    let start = try #require(readme.range(of: title), "\(title)").upperBound
    let lines = readme[start...].split(separator: "\n").prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("|") }
    let table = lines.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { cell in String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    }
    let names = try #require(table.first)
    return table.dropFirst(2).map { Row(cells: Dictionary(uniqueKeysWithValues: zip(names, $0))) }
      .filter { !$0.kind.isEmpty }
  }
}

extension Kind {
  /// The column of its switch; `nil` where it has none, or where all the app's kinds have theirs under their names.
  fileprivate var shownSwitch: String? { canBeSilenced ? preference.column : nil }
}

extension Kind.QuietHoursRule {
  fileprivate var word: String {
    switch self {
    case .delay: "waits"
    case .pass: "passes"
    case .drop: "dropped"
    }
  }
}
