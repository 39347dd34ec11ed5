/// A mistake in `functions.json`, with its place.
struct ManifestError: Error, Equatable, CustomStringConvertible {
  /// The file's name as the user gave it.
  var file: String
  /// From 1; `nil` where the file could not be read at all.
  var line: Int?
  /// Such as `functions.vote-cast.timeout`; empty for the whole document.
  var path: String
  /// The end of the sentence.
  var problem: String

  var description: String {
    [file, line.map { "\($0)" }].compactMap { $0 }.joined(separator: ":")
      + ": " + (path.isEmpty ? "" : "\(path) ") + problem
  }
}
