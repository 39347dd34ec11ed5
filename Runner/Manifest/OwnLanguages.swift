import FunctionKit
import Locales
import System

extension Manifest {
  /// The variable that tells functions where an app's own texts are.
  package static let languagesVariable = "PUSH_LANGUAGES"

  /// Reads `languages`: a folder, from that of `functions.json` or from the root, with files such as `de.strings`.
  ///
  /// Each function here gets the folder, and so do commands.
  /// - Throws: the first line of a file that cannot be read.
  mutating func setLanguages(_ node: ManifestNode) throws(ManifestError) {
    let path = try node.string()
    languages = path
    guard let folder = languagesFolder else { return }
    let names = Self.textFiles(in: folder)
    guard !names.isEmpty else { throw node.error("must be a folder with files such as de.strings") }
    for name in names {
      let tag = String(name.dropLast(".strings".count))
      guard LanguageTag(tag)?.text == tag else {
        throw node.error("has \(name), which must have the tag of a language for its name, such as pt-BR.strings")
      }
      try Self.check("\(folder)/\(name)", called: "\(path)/\(name)")
    }
    for index in functions.indices where functions[index].target == nil {
      functions[index].environment.append(Self.languagesVariable)
      functions[index].optional.insert(Self.languagesVariable)
      functions[index].settings[Self.languagesVariable] = folder
    }
  }

  /// The path of the folder `languages`.
  package var languagesFolder: String? {
    languages.map { $0.hasPrefix("/") ? $0 : "\(directory)/\($0)" }
  }

  /// The paths of the files with an app's own texts, as they are now; this may block.
  package var languageFiles: [String] {
    languagesFolder.map { folder in Self.textFiles(in: folder).map { "\(folder)/\($0)" } } ?? []
  }

  private static func textFiles(in folder: String) -> [String] {
    Folder.names(in: folder).filter { $0.hasSuffix(".strings") }.sorted()
  }

  private static func check(_ file: String, called name: String) throws(ManifestError) {
    let text: String
    do {
      text = try RegularFile.text(of: file, limit: TextCatalogue.largestFile)
    } catch {
      throw ManifestError(file: name, line: error.line, path: "", problem: error.problem)
    }
    do {
      _ = try TextCatalogue(text)
    } catch {
      throw ManifestError(file: name, line: error.line, path: "", problem: error.sentence)
    }
  }
}
