import FunctionKit

extension ConfigurationReader {
  /// The list that a variable holds as JSON, or that the file holds which another variable names.
  struct List {
    let entries: [RawJSON]
    /// The variable.
    let name: String
    /// What paths in it begin with.
    let directory: String
  }

  /// Reads the list of `NAME`, or of the file of `NAME_PATH`; `nil` if neither is set or the list is malformed.
  ///
  /// - Parameter shape: of the document, which has the list in the member `member`.
  mutating func list(_ name: String, _ member: String, _ shape: String) -> List? {
    let file = "\(name)_PATH"
    let (text, path) = (environment[name], environment[file])
    guard text != nil || path != nil, areOneAtMost(text, path, (name, file)) else { return nil }
    let bytes = text.map { Array(VariableText.plain($0).utf8) } ?? path.flatMap(FileContents.read)
    guard let bytes, let json = try? RawJSON(validating: bytes[...]), let entries = json[member]?.elements,
      !entries.isEmpty
    else {
      problems.append(text == nil ? "\(file) must name a readable JSON file \(shape)" : "\(name) must be JSON \(shape)")
      return nil
    }
    let directory = path.flatMap { path in path.lastIndex(of: "/").map { String(path[...$0]) } } ?? ""
    return List(entries: entries, name: text == nil ? file : name, directory: directory)
  }
}

extension RawJSON {
  /// A text that is not empty.
  var nonEmptyText: String? { stringValue.flatMap { $0.isEmpty ? nil : $0 } }
}
