import Foundation

/// The sizes and arrows of the house, as `make house` prints them.
struct HouseFigures {
  /// A module and what it consists of.
  struct Module {
    let path: String
    let lines: Int
    /// The modules of the package that it imports.
    let uses: [String]
    /// Folders that lead back to themselves.
    let circle: [String]
  }

  let modules: [Module]
  /// The lines of each Swift file of functions, modules and tests, smallest first.
  let files: [Int]

  init() throws {
    let folders = try ["Shared", "Runner"].flatMap { top in try House.folders(top).map { (top, $0) } }
    let names = Set(folders.map(\.1))
    modules = try folders.filter { $0.1 != "C" }.map { top, name in
      let path = "\(top)/\(name)"
      return Module(
        path: path, lines: try House.swiftFiles(path).map { try House.lines($0) }.reduce(0, +),
        uses: try House.imports(path).intersection(names).sorted(), circle: try FolderArrows(of: path).circle)
    }
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
