/// A mistake in `functions.json`, with its place.
package struct ManifestError: Error, Equatable, CustomStringConvertible {
  /// The file's name as the user gave it.
  package var file: String
  /// From 1; `nil` where the file could not be read at all.
  package var line: Int?
  /// Such as `functions.vote-cast.timeout`; empty for the whole document.
  package var path: String
  /// The end of the sentence.
  package var problem: String

  package var description: String {
    [file, line.map { "\($0)" }].compactMap { $0 }.joined(separator: ":")
      + ": " + (path.isEmpty ? "" : "\(path) ") + problem
  }
}
