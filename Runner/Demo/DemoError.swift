/// Why the story cannot be told, with the exit status of sysexits.h.
struct DemoError: Error, Equatable {
  let exitStatus: Int32
  let sentence: String

  /// The command line is wrong (64).
  static func usage(_ sentence: String) -> DemoError { DemoError(exitStatus: 64, sentence: sentence) }
  /// Something that the story needs is not set up (78).
  static func configuration(_ sentence: String) -> DemoError { DemoError(exitStatus: 78, sentence: sentence) }
  /// There are people in the database, among whom the story's would be strangers (78).
  static let people = DemoError.configuration(
    "The database has people of its own: the story's are not put among them, and it is not played.")
  /// Something that the story needs does not answer, or not as it should (1).
  static func failed(_ sentence: String) -> DemoError { DemoError(exitStatus: 1, sentence: sentence) }
}
