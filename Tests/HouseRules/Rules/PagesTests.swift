import Foundation
import Testing

/// The pages that people read.
struct PagesTests {
  static let pages = [
    "README.md", "CONTRIBUTING.md", "Functions/README.md", "Runner/README.md", "Runner/OPERATING.md",
    "Runner/DEPLOYING.md", "Runner/CAPACITY.md", "Runner/BesideYourServer.md", "Runner/PushEmulator/README.md",
    "Shared/README.md",
  ]

  @Test func theFirstPagesAreShort() throws {
    #expect(try House.lines("README.md") <= 250)
    #expect(try House.lines("Runner/README.md") <= 200)
  }

  @Test(arguments: pages) func everyLinkLeadsSomewhere(page: String) throws {
    let folder = page.split(separator: "/").dropLast().joined(separator: "/")
    for match in try House.text(page).matches(of: /\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/) {
      let file = match.1.isEmpty ? page : resolved("\(folder)/\(match.1)")
      #expect(exists(file), "\(match.0) in \(page)")
      if let heading = match.2 { #expect(try anchors(of: file).contains(String(heading)), "\(match.0) in \(page)") }
    }
  }

  @Test func everyModuleAndProgramHasASentence() throws {
    let page = try House.text("Shared/README.md")
    let rows = page.matches(of: /\n\| `(\w+)` \| (\w[^|]+) \|/).map { (String($0.1), $0.2.split(separator: " ").count) }
    let words = Dictionary(rows) { $1 }

    for target in try House.declarations("library", "module", "part", "program") {
      #expect(words[target.name, default: 0] > 2, "\(target.name)")
    }
  }

  @Test func everyModuleInATableExists() throws {
    let folders = try Set(House.folders("Shared") + House.folders("Runner"))
    for row in try House.text("Shared/README.md").matches(of: /\n\| `(\w+)` \|/) {
      #expect(folders.contains(String(row.1)), "\(row.1)")
    }
  }

  /// The page gives a path, or a folder and in parentheses files below it; Swift files without `.swift`.
  @Test func everyFileOnThePathsExists() throws {
    let page = try House.text("Shared/README.md")
    let places = page.matches(of: /`((?:Functions|Shared|Runner|Tests)\/[\w\/+.]*)`(?:\s+\(([^)]*)\))?/)
    let named = places.map { place in
      (folder: String(place.1), files: (place.2 ?? "").matches(of: /`([\w\/+.]+)`/).map { String($0.1) })
    }
    #expect(named.map(\.files.count).reduce(0, +) > 50)

    for (folder, files) in named {
      #expect(exists(folder) || exists("\(folder).swift"), "\(folder)")
      guard !files.isEmpty else { continue }
      let all = House.files(folder.hasSuffix("/") ? String(folder.dropLast()) : folder)
      for file in files {
        let isThere = all.contains { "/\($0)".hasSuffix("/\(file)") || "/\($0)".hasSuffix("/\(file).swift") }
        #expect(isThere, "\(folder): \(file)")
      }
    }
  }

  private func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: House.root.appending(path: path).path)
  }

  /// A path without `..`.
  private func resolved(_ path: String) -> String {
    path.split(separator: "/").reduce(into: [Substring]()) { parts, part in
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }.joined(separator: "/")
  }

  /// The anchors that GitHub makes of the headings of a page.
  private func anchors(of page: String) throws -> [String] {
    try House.text(page).matches(of: /(?m)^#+ (.+)$/).map { match in
      match.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
        .replacing(" ", with: "-")
    }
  }
}
