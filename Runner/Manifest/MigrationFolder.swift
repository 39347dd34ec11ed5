/// A folder of `functions.json` with migrations: files such as `0001_orders.sql`.
package struct MigrationFolder: Sendable, Equatable {
  /// The folder of the runner's own migrations, which no bundle may use.
  private static let reserved = "runner"

  /// From the root.
  package let path: String
  /// The path's last part.
  ///
  /// Bundles that share a database and name a folder alike share its migrations.
  package var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

  /// Reads `migrations`: paths, each from the folder of `functions.json` or from the root.
  static func all(_ node: ManifestNode, in directory: String) throws(ManifestError) -> [MigrationFolder] {
    var folders: [MigrationFolder] = []
    for element in try node.elements() {
      let path = try element.string()
      let folder = MigrationFolder(path: path.hasPrefix("/") ? path : "\(directory)/\(path)")
      guard FunctionEntry.isName(folder.name), folder.name != reserved else {
        throw element.error(
          "must end in a folder's name of lower-case letters, digits and single hyphens, and not \"\(reserved)\"")
      }
      guard !folders.contains(where: { $0.name == folder.name }) else {
        throw element.error("is a second folder with the name \(folder.name)")
      }
      folders.append(folder)
    }
    return folders
  }
}
