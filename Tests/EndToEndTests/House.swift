import Foundation

/// The repository's own files, for tests of its structure.
struct House {
  /// The folder of `Package.swift`.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

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

  /// The paths of all Swift files below a folder, from the root.
  static func swiftFiles(_ path: String) -> [String] {
    let folder = root.appending(path: path)
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") }.map { "\(path)/\($0)" }.sorted()
  }

  /// The modules that know of notifications.
  static var domain: Set<String> {
    get throws {
      let modules = try declarations("library") + declarations("module")
      return Set(modules.map(\.name).filter { $0.hasSuffix("Live") } + ["API", "Notifications", "PushPayload"])
    }
  }

  /// How many lines a file has.
  static func lines(_ file: String) throws -> Int { try text(file).utf8.count { $0 == UInt8(ascii: "\n") } }

  /// The modules that the Swift files below a folder import.
  static func imports(_ path: String) throws -> Set<String> {
    try swiftFiles(path).reduce(into: []) { modules, file in
      for line in try text(file).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
          words[..<index].allSatisfy({ ["public", "package", "internal", "@testable", "@preconcurrency"].contains($0) })
        else { continue }
        modules.insert(String(words[index + 1]))
      }
    }
  }

  /// The lines of `Package.swift` that declare something, with the name and the modules it uses.
  static func declarations(_ kind: String) throws -> [(name: String, uses: [String])] {
    try text("Package.swift").matches(of: /\.(\w+)\(\s*"(\w+)"(?:,\s*uses: \[([^\]]*)\])?/).compactMap { match in
      guard match.1 == kind else { return nil }
      let uses = match.3?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines.union(["\""])) }
      return (String(match.2), uses?.filter { !$0.isEmpty } ?? [])
    }
  }
}

extension String {
  /// `VoteCast` → `vote-cast`.
  var kebabCase: String {
    reduce(into: "") { $0 += $1.isUppercase && !$0.isEmpty ? "-\($1.lowercased())" : $1.lowercased() }
  }
}
