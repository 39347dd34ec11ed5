import Foundation

/// Which folders of a module use which, by the names of types and of extensions' members that they declare.
///
/// A type counts only if the module sees none of that name in other modules. A member counts only if its name says whose
/// it is: nothing in the module's other folders has that name, neither does anything that the module sees of other
/// modules, and Swift has no such member. What an extension makes without a name of its own, such as an initializer, does
/// not count.
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
    let declaration = Self.declaration
    for file in files {
      for line in file.text.lines(with: "struct ", "class ", "enum ", "actor ", "protocol ", "typealias ") {
        guard let match = line.firstMatch(of: declaration), !match.2.has("private"), !foreign.contains(match.3)
        else { continue }
        if match.1.isEmpty {
          owners[match.3, default: []].insert(file.folder)
        } else {
          nested[file.folder, default: []].insert(match.3)
        }
      }
    }
    for (name, folder) in Self.members(files, besides: foreign) { owners[name, default: []].insert(folder) }
    for file in files {
      for word in Set(Self.words(file.text[...])) where word.utf8.count > 1 {
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
    let declaration = /\b(?:public|package) .*?\b(?:func|var|let|struct|class|enum|actor) (\w+(?:, \w+)*)/
    let cases = /\bcase (.+)/
    return try House.swiftFiles(module).reduce(into: []) { names, file in
      for line in code(try House.text(file)).lines(with: "public ", "package ", "case ") {
        if let match = line.firstMatch(of: declaration) { names.formUnion(words(match.1)) }
        if let match = line.firstMatch(of: cases) { names.formUnion(words(match.1)) }
      }
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
    let (start, member) = (/^((?:\w+ )*)extension\b/, /^  ((?:[@\w()]+ )*)(?:func|var|let) `?(\w+)/)
    var isExtension = false
    return text.lines.compactMap { line in
      if !line.hasPrefix(" ") {
        if line.has("extension"), let match = line.firstMatch(of: start) {
          isExtension = !match.1.has("private")
        } else if line.hasPrefix("}") {
          isExtension = false
        }
        return nil
      }
      guard isExtension, line.hasPrefix("  "), !line.hasPrefix("   "), let match = line.firstMatch(of: member),
        !match.1.has("private ")
      else { return nil }
      return match.2
    }
  }

  /// Everything that a text gives a name: members, cases, constants, and the labels of arguments.
  private static func names(_ text: String) -> Set<Substring> {
    var (names, isCase): (Set<Substring>, Bool) = ([], false)
    let words = text.words
    for (index, (gap, word)) in words.enumerated().dropFirst() {
      let before = words[index - 1].word
      isCase = !gap.has("\n") && (isCase || before == "case")
      let isDeclared = ["func", "var", "let"].contains(before) && (gap == " " || gap == " `")
      if isCase || isDeclared { names.insert(word) }
      // Of a label and a name, the label.
      if gap.hasPrefix(": ") || gap.hasPrefix(":\n") {
        names.insert(index > 1 && words[index - 1].gap == " " ? words[index - 2].word : before)
      }
    }
    for tuple in text.parentheses(after: "let ") + text.parentheses(after: "var ") {
      names.formUnion(Self.words(tuple))
    }
    return names
  }

  private static func words(_ text: Substring) -> [Substring] {
    text.words.map { $0.word.drop { !$0.isLetter } }.filter { !$0.isEmpty }
  }

  /// Members that Swift's own types have, too.
  private static let swiftsOwn: Set<Substring> = ["microseconds", "uuid", "value"]

  private static var declaration: Regex<(Substring, Substring, Substring, Substring)> {
    /^( *)(?:@\w+(?:\([^)]*\))? )*((?:\w+ )*?)(?:struct|class|enum|actor|protocol|typealias) (\w+)/
  }

  private static func folder(_ file: String, in module: String) -> String {
    let parts = file.dropFirst(module.count + 1).split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : "."
  }

  /// The text without comments, and without strings that hold no values.
  private static func code(_ text: String) -> String {
    let (comment, string) = (/\/\/.*/, /"(?:[^"\\\n]|\\[^(\n])*"/)
    return text.lines.map { line in
      let code = line.has("//") ? line.replacing(comment, with: "") : line
      return code.has("\"") ? code.replacing(string, with: "") : code
    }.joined(separator: "\n")
  }
}
