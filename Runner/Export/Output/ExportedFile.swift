/// A file of an export.
package struct ExportedFile: Sendable, Equatable {
  /// Below the folder of the export, such as `monitoring/alerts.yml`.
  package let path: String
  package let text: String

  package init(_ path: String, _ text: String) {
    self.path = path
    self.text = text.hasSuffix("\n") ? text : "\(text)\n"
  }
}
