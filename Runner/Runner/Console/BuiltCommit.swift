import CCommit

/// The commit that the runner was built from.
enum BuiltCommit {
  /// `" (0123456789ab)"`, with a plus where files had been changed; empty where `Runner/install` did not build it.
  static var suffix: String {
    let commit = String(cString: shim_commit())
    return commit.isEmpty ? "" : " (\(commit))"
  }
}
