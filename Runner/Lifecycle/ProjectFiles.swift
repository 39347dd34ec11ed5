import Manifest
import System

/// The state of the project's files at one moment: `functions.json`, `.env` and the executables of functions.
struct ProjectFiles: Sendable {
  private let settings: [String: FileStamp]
  private let programs: [String: FileStamp]
  /// The stamps of the files with an app's own texts, which functions read once.
  var texts: [FileStamp?]

  /// Reads the state from the file system, which may block.
  init(_ project: Project) {
    let languages = project.manifest.languageFiles
    // The folder shows that a file has come or gone.
    let folder = [project.manifest.languagesFolder].compactMap(\.self)
    settings = Self.stamps(of: [project.manifestFile, "\(project.directory)/.env"] + folder + languages)
    texts = languages.map { FileStamp($0) }
    programs = Self.stamps(of: project.manifest.functions.map(project.executable(of:)))
  }

  /// The state of a file; `nil` if there was none.
  subscript(path: String) -> FileStamp? { settings[path] ?? programs[path] }

  /// The files that are watched, without executables that are not complete.
  var watched: [String: FileStamp] { settings.merging(programs.filter(\.value.isProgram)) { $1 } }

  private static func stamps(of paths: [String]) -> [String: FileStamp] {
    paths.reduce(into: [:]) { stamps, path in stamps[path] = FileStamp(path) }
  }
}
