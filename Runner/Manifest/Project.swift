package import FunctionKit
import Glibc
package import System

/// A folder with `functions.json`, and where the bundle's executables are.
package struct Project: Sendable {
  /// The folder's absolute path.
  package let directory: String
  /// The manifest as it was read last.
  package var manifest: Manifest
  /// Its settings.
  package var settings: Settings
  /// Where a runner that serves keeps its lock, its log, and the state that other commands read; made when missing.
  package var state: String
  /// The folder of this executable, where the functions' are, too.
  package let executables: String
  /// The check whose files count in the folder, unless the command line names it.
  private let found: FoundFiles

  /// Finds the project: the folder given, else the nearest upward from the working directory.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if what was found is somebody else's.
  package init(directory: String? = nil) throws {
    let start = directory ?? "."
    guard let resolved = realpath(start, nil) else {
      throw FunctionError(.noInput, "There is no folder \(start).")
    }
    defer { free(resolved) }
    let folder = String(cString: resolved)
    found = FoundFiles(.current(), named: directory == nil ? nil : folder)
    guard let place = try directory == nil ? found.folder(with: Self.file, from: folder) : folder else {
      throw FunctionError(.noInput, "There is no functions.json here or in a folder above; give --project DIR.")
    }
    self.directory = place
    state = "\(place)/.runner"
    (manifest, settings) = try Self.read(place, found)
    if let folder = settings.environment[Self.stateVariable] {
      let isBeside = settings.origin(of: Self.stateVariable) == .dotEnv && !folder.hasPrefix("/")
      state = isBeside ? "\(place)/\(folder)" : Self.absolute(folder)
    }
    // What a runner says there would be believed, too.
    _ = try found.has(".runner", in: place)
    executables = Self.executableDirectory
  }

  /// The variable that names the folder ``state`` to every command; in `.env` it may be relative to that file's folder.
  package static let stateVariable = "RUNNER_STATE_DIR"

  private static let file = "functions.json"

  /// `functions.json` and the settings as they are now.
  ///
  /// - Throws: if they cannot be used, also because they have become somebody else's.
  package func reading() throws -> (Manifest, Settings) { try Self.read(directory, found) }

  private static func read(_ directory: String, _ found: FoundFiles) throws -> (Manifest, Settings) {
    _ = try found.has(file, in: directory)
    let manifest = try Manifest(directory: directory)
    return (manifest, try Settings(directory: directory, names: manifest.variables, found: found))
  }

  /// The variables that are set for it.
  package var environment: FunctionKit.Environment { settings.environment }

  /// Whether its database is the one that the runner itself keeps: the only one that is local unless somebody says so,
  /// since any other may be everybody's, also one behind a Unix socket or a tunnel from this machine.
  package var hasOwnDatabase: Bool { Self.databaseVariables.allSatisfy { environment[$0] == nil } }

  /// Whether commands reach the database that the runner itself keeps, be it named or not.
  package var usesOwnDatabase: Bool {
    guard let own = try? ownDatabaseURL() else { return false }
    return (try? databaseURL()) == own
  }

  /// Where the runner itself connects: `RUNNER_DATABASE_URL`, else `DATABASE_URL`, else the project's own database.
  package func databaseURL() throws(FunctionError) -> String { try databaseURL(from: Self.databaseVariables) }

  /// Where functions connect, which may be a pooler of the same database: `DATABASE_URL`, else as the runner does.
  package func functionDatabaseURL() throws(FunctionError) -> String {
    try databaseURL(from: Self.databaseVariables.reversed())
  }

  static let databaseVariables = ["RUNNER_DATABASE_URL", "DATABASE_URL"]

  private func databaseURL(from variables: [String]) throws(FunctionError) -> String {
    if let url = variables.lazy.compactMap({ environment[$0] }).first { return url }
    return try ownDatabaseURL()
  }

  /// The database that the runner itself keeps.
  func ownDatabaseURL() throws(FunctionError) -> String { try found.databaseURL(from: directory) }

  /// The file that the manifest was read from.
  package var manifestFile: String { "\(directory)/\(Self.file)" }

  /// The folder ``state``, made when missing.
  package func stateDirectory() throws(SystemError) -> String {
    guard mkdir(state, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir \(state)") }
    return state
  }

  /// The path of ``state`` from the project's folder, if it lies inside; links are followed.
  package var stateInside: String? {
    let resolved = realpath(state, nil)
    defer { free(resolved) }
    let path = resolved.map { String(cString: $0) } ?? state
    return path.hasPrefix("\(directory)/") ? String(path.dropFirst(directory.count + 1)) : nil
  }

  /// The program of a function.
  package func executable(of entry: FunctionEntry) -> String {
    entry.executable.map { $0.hasPrefix("/") ? $0 : "\(directory)/\($0)" } ?? executable(entry.name)
  }

  /// The file of an executable of the bundle: beside the runner, or relative to the manifest where the name has a slash.
  package func executable(_ name: String) -> String {
    guard name.contains("/") else { return "\(executables)/\(name)" }
    return name.hasPrefix("/") ? name : "\(directory)/\(name)"
  }

  /// A path as it is from every working directory.
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return "\(String(cString: folder))/\(path)"
  }

  private static var executableDirectory: String {
    guard let path = realpath("/proc/self/exe", nil) else { return "." }
    defer { free(path) }
    let file = String(cString: path)
    return file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
  }
}
