// A release build makes this library too, and has no test library then.
#if canImport(Testing)
  import Glibc
  package import Testing

  extension Trait where Self == ConditionTrait {
    /// For tests of what a release has to pass, and what a change hardly makes fail.
    ///
    /// `Tests/run --all` and `Tests/run --filter` set the variable.
    package static var qualifiesReleases: Self {
      .enabled(if: getenv("PUSH_FUNCTIONS_TESTS") != nil, "Not run: Tests/run --all and Tests/run --filter run it.")
    }
  }
#endif
