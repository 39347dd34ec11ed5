package import Manifest

extension Manifest {
  /// What people call the bundle: what they said, else its name, else its folder's.
  package var title: String {
    if let givenTitle { return givenTitle }
    guard bundle == Manifest.defaultBundle else { return bundle }
    return directory.split(separator: "/").last.map(String.init) ?? "runner"
  }
}
