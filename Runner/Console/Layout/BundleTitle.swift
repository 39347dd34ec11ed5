package import Manifest

extension Manifest {
  /// What people call the bundle: its name, else its folder's.
  package var title: String {
    guard bundle == Manifest.defaultBundle else { return bundle }
    return directory.split(separator: "/").last.map(String.init) ?? "runner"
  }
}
