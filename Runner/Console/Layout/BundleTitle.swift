package import Manifest

extension Manifest {
  /// The name that people use for the bundle: the one that they gave it, else its own, else its folder's.
  package var title: String {
    if let givenTitle { return givenTitle }
    guard bundle == Manifest.defaultBundle else { return bundle }
    return directory.split(separator: "/").last.map(String.init) ?? "runner"
  }
}
