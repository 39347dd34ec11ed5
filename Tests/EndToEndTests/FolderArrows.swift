import Foundation

/// Which folders of a module use which, by the names of the types that they declare.
struct FolderArrows {
  /// The folders that each folder uses; files beside the folders count as the folder `.`.
  private(set) var arrows: [String: Set<String>] = [:]

  /// - Parameter module: the path of a module's folder.
  init(of module: String) throws {
    let files = try House.swiftFiles(module).map { file in
      (folder: Self.folder(file, in: module), text: Self.code(try House.text(file)))
    }
    var owners: [String: Set<String>] = [:]
    var nested: [String: Set<String>] = [:]
    for file in files {
      for match in file.text.matches(of: Self.declaration) where !match.2.contains("private") {
        if match.1.isEmpty {
          owners[String(match.3), default: []].insert(file.folder)
        } else {
          nested[file.folder, default: []].insert(String(match.3))
        }
      }
    }
    for file in files {
      for word in Set(file.text.matches(of: /\b[A-Z]\w+/).map { String($0.0) }) {
        let owners = owners[word] ?? []
        guard !owners.contains(file.folder), nested[file.folder]?.contains(word) != true else { continue }
        arrows[file.folder, default: []].formUnion(owners)
      }
    }
  }

  /// The folders from which a way of arrows leads back to themselves.
  var circle: [String] {
    arrows.keys.filter { reachable(from: $0).contains($0) }.sorted()
  }

  private func reachable(from folder: String) -> Set<String> {
    var (found, open): (Set<String>, [String]) = ([], [folder])
    while let next = open.popLast() {
      for target in arrows[next] ?? [] where found.insert(target).inserted { open.append(target) }
    }
    return found
  }

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
