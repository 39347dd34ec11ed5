import Foundation

/// Which folders of a module use which, by the names of types and of extensions' members that they declare.
///
/// A member counts only if its name says whose it is: nothing in the module's other folders has that name, neither does
/// anything that the module sees of other modules, and Swift has no such member. What an extension makes without a name
/// of its own, such as an initializer, does not count.
struct FolderArrows {
  /// The folders that each folder uses, with the names by which it does; files beside the folders count as the folder `.`.
  private(set) var arrows: [String: [String: Set<Substring>]] = [:]

  /// - Parameters:
  ///   - module: the path of a module's folder.
  ///   - foreign: the names of what the module sees of others.
  init(of module: String, besides foreign: Set<Substring> = []) throws {
    let files = try House.swiftFiles(module).map { file in
      (folder: Self.folder(file, in: module), text: Self.code(try House.text(file)))
    }
    var owners: [Substring: Set<String>] = [:]
    var nested: [String: Set<Substring>] = [:]
    for file in files {
      for match in file.text.matches(of: Self.declaration) where !match.2.contains("private") {
        if match.1.isEmpty {
          owners[match.3, default: []].insert(file.folder)
        } else {
          nested[file.folder, default: []].insert(match.3)
        }
      }
    }
    for (name, folder) in Self.members(files, besides: foreign) { owners[name, default: []].insert(folder) }
    for file in files {
      for word in Set(file.text.matches(of: /[A-Za-z]\w+/).map(\.output)) {
        let owners = owners[word] ?? []
        guard !owners.contains(file.folder), nested[file.folder]?.contains(word) != true else { continue }
        for owner in owners { arrows[file.folder, default: [:]][owner, default: []].insert(word) }
      }
    }
  }

  /// The arrows that are part of a way that leads back to its start, with the names that make them.
  var circle: [String] {
    arrows.keys.sorted().flatMap { folder in
      arrows[folder, default: [:]].filter { reachable(from: $0.key).contains(folder) }.sorted { $0.key < $1.key }
        .map { "\(folder) → \($0.key): \($0.value.sorted().joined(separator: ", "))" }
    }
  }

  private func reachable(from folder: String) -> Set<String> {
    var (found, open): (Set<String>, [String]) = ([folder], [folder])
    while let next = open.popLast() {
      for target in (arrows[next] ?? [:]).keys where found.insert(target).inserted { open.append(target) }
    }
    return found
  }

  /// The names that a module shows to those that import it: more rather than fewer.
  static func shown(by module: String) throws -> Set<Substring> {
    try House.swiftFiles(module).reduce(into: []) { names, file in
      let text = code(try House.text(file))
      for match in text.matches(of: /\b(?:public|package) .*?\b(?:func|var|let) (\w+(?:, \w+)*)/) {
        names.formUnion(words(match.1))
      }
      for match in text.matches(of: /\bcase (.+)/) { names.formUnion(words(match.1)) }
    }
  }

  /// The members of extensions whose names are in one folder only, each with that folder.
  private static func members(
    _ files: [(folder: String, text: String)], besides foreign: Set<Substring>
  ) -> [Substring: String] {
    var folders: [Substring: Set<String>] = [:]
    for file in files { for name in names(file.text) { folders[name, default: []].insert(file.folder) } }
    let candidates = files.flatMap { file in Self.members(of: file.text).map { ($0, file.folder) } }
    return Dictionary(candidates) { folder, _ in folder }.filter { name, _ in
      folders[name]?.count ?? 1 == 1 && !foreign.contains(name) && !swiftsOwn.contains(name)
    }
  }

  /// The members of a text's extensions that other files see; there, declarations are indented by two.
  private static func members(of text: String) -> [Substring] {
    var isExtension = false
    return text.split(separator: "\n").compactMap { line in
      if !line.hasPrefix(" ") {
        if let match = line.firstMatch(of: /^((?:\w+ )*)extension\b/) {
          isExtension = !match.1.contains("private")
        } else if line.hasPrefix("}") {
          isExtension = false
        }
        return nil
      }
      guard isExtension, line.hasPrefix("  "), !line.hasPrefix("   "),
        let match = line.firstMatch(of: /^  ((?:[@\w()]+ )*)(?:func|var|let) `?(\w+)/),
        !match.1.contains("private ")
      else { return nil }
      return match.2
    }
  }

  /// Everything that a text gives a name: members, cases, constants, and the labels of arguments.
  private static func names(_ text: String) -> Set<Substring> {
    var names = Set(text.matches(of: /\b(?:func|var|let|case) `?(\w+)/).map(\.1))
    names.formUnion(text.matches(of: /(\w+)(?: \w+)?:\s/).map(\.1))
    for match in text.matches(of: /\b(?:let|var) \(([^)]*)\)|\bcase (.+)/) {
      names.formUnion(words(match.1 ?? match.2 ?? ""))
    }
    return names
  }

  private static func words(_ text: Substring) -> [Substring] { text.matches(of: /[A-Za-z]\w*/).map(\.output) }

  /// Members that Swift's own types have, too.
  private static let swiftsOwn: Set<Substring> = ["microseconds", "uuid", "value"]

  private static var declaration: Regex<(Substring, Substring, Substring, Substring)> {
    /(?m)^( *)(?:@\w+(?:\([^)]*\))? )*((?:\w+ )*?)(?:struct|class|enum|actor|protocol|typealias) (\w+)/
  }

  private static func folder(_ file: String, in module: String) -> String {
    let parts = file.dropFirst(module.count + 1).split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : "."
  }

  /// The text without comments, and without strings that hold no values.
  private static func code(_ text: String) -> String {
    text.replacing(/\/\/.*/, with: "").replacing(/"(?:[^"\\\n]|\\[^(\n])*"/, with: "")
  }
}
