import Foundation

/// The sizes and arrows of the house, as `make house` prints them.
struct HouseFigures {
  /// A module and what it consists of.
  struct Module {
    let path: String
    let lines: Int
    /// The modules of the package that it imports.
    let uses: [String]
    /// What leads folders back to themselves.
    let circle: [String]
  }

  let modules: [Module]
  /// The lines of each Swift file of functions, modules and tests, smallest first.
  let files: [Int]

  init() throws {
    let folders = try ["Shared", "Runner"].flatMap { top in try House.folders(top).map { (top, $0) } }
    let paths = Dictionary(uniqueKeysWithValues: folders.filter { $0.1 != "C" }.map { ($0.1, "\($0.0)/\($0.1)") })
    let shown = try paths.mapValues(FolderArrows.shown)
    modules = try paths.map { name, path in
      let uses = try House.imports(path).intersection(paths.keys)
      let foreign = try House.linked(Array(uses)).compactMap { shown[$0] }.reduce(into: Set()) { $0.formUnion($1) }
      return Module(
        path: path, lines: try House.swiftFiles(path).map { try House.lines($0) }.reduce(0, +), uses: uses.sorted(),
        circle: try FolderArrows(of: path, besides: foreign).circle)
    }.sorted { $0.path < $1.path }
    files = try ["Functions", "Shared", "Runner", "Tests"].flatMap { House.swiftFiles($0) }.map { try House.lines($0) }
      .sorted()
  }

  /// How many lines the file in the middle has.
  var median: Int { files[files.count / 2] }

  /// A line for each module, and one for all.
  var text: String {
    let width = modules.map(\.path.count).max() ?? 0
    let lines = modules.map { module in
      let name = module.path.padding(toLength: width, withPad: " ", startingAt: 0)
      return String(format: "%@ %6d", name, module.lines) + "  → " + module.uses.joined(separator: ", ")
    }
    let circles = modules.count { !$0.circle.isEmpty }
    let files = "files: \(files.count), median \(median) lines, largest \(files.last ?? 0)"
    return (lines + ["circles: \(circles); \(files)"]).joined(separator: "\n")
  }
}
