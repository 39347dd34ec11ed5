import Foundation

/// The repository's own files, for tests of its structure.
struct House {
  /// The folder of `Package.swift`, in `HOUSE_ROOT` that of another checkout whose figures are asked for.
  static let root =
    ProcessInfo.processInfo.environment["HOUSE_ROOT"].map { URL(filePath: $0) }
    ?? URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The folders in a folder.
  static func folders(_ path: String) throws -> [String] {
    let folder = root.appending(path: path)
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
      .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
      .map(\.lastPathComponent).sorted()
  }

  /// The paths of all files and folders below a folder, from that folder; what a build has left there is none.
  static func files(_ path: String) -> [String] {
    (FileManager.default.enumerator(atPath: root.appending(path: path).path)?.compactMap { $0 as? String } ?? [])
      .filter { !$0.hasPrefix(".") && !$0.has("/.") }
  }

  /// The paths of all Swift files below a folder, from the root.
  static func swiftFiles(_ path: String) -> [String] {
    files(path).filter { $0.hasSuffix(".swift") }.map { "\(path)/\($0)" }.sorted()
  }

  /// The modules that a target links: those that it uses, and those that these use.
  static func linked(_ modules: [String]) throws -> Set<String> {
    let uses = try Dictionary(
      uniqueKeysWithValues: declarations("library", "module", "part").map { ($0.name, $0.uses) })
    var (found, open) = (Set(modules), modules)
    while let next = open.popLast() {
      for module in uses[next] ?? [] where found.insert(module).inserted { open.append(module) }
    }
    return found
  }

  /// How many lines a file has.
  static func lines(_ file: String) throws -> Int { try text(file).lines.count }

  /// The modules that the Swift files below a folder import, in whatever way.
  static func imports(_ path: String) throws -> Set<String> {
    try swiftFiles(path).reduce(into: []) { $0.formUnion(try imports(in: text($1))) }
  }

  /// The modules that a text imports.
  static func imports(in text: String) -> Set<String> {
    let line = /^\h*(?:@\w+(?:\(\w+\))?\h+)*(?:\w+\h+)?import\h+(?:[a-z]+\h+)?([A-Z]\w*)/
    return Set(text.lines(with: "import").compactMap { $0.firstMatch(of: line).map { String($0.output.1) } })
  }
}

extension String {
  /// `VoteCast` → `vote-cast`.
  var kebabCase: String {
    reduce(into: "") { $0 += $1.isUppercase && !$0.isEmpty ? "-\($1.lowercased())" : $1.lowercased() }
  }
}
