/// Why the story cannot be told, with the exit status of sysexits.h.
struct DemoError: Error, Equatable {
  let exitStatus: Int32
  let sentence: String

  /// The command line is wrong (64).
  static func usage(_ sentence: String) -> DemoError { DemoError(exitStatus: 64, sentence: sentence) }
  /// Something that the story needs is not set up (78).
  static func configuration(_ sentence: String) -> DemoError { DemoError(exitStatus: 78, sentence: sentence) }
  /// Something that the story needs does not answer, or not as it should (1).
  static func failed(_ sentence: String) -> DemoError { DemoError(exitStatus: 1, sentence: sentence) }
}
