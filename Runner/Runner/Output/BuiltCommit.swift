import CCommit

/// The commit that the runner was built from.
enum BuiltCommit {
  /// `" (0123456789ab)"`, with a plus if files had been changed; empty if `Runner/install` did not build it.
  static var suffix: String {
    let commit = String(cString: shim_commit())
    return commit.isEmpty ? "" : " (\(commit))"
  }
}
