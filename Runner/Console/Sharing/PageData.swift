package import FunctionKit

/// The data of a page for programs: made only if somebody asks for it.
package struct PageData: Sendable {
  /// The document that a command of the same subject prints with `--json`.
  let document: @Sendable () throws -> RawJSON
  /// The page's list; `nil` if it has none.
  let table: (@Sendable () -> CSV)?
  /// The rows that both have, such as `the newest 100 at most`; empty if that is plain.
  let extent: String

  /// - Parameter document: a document of `Documents`, as a command prints it.
  package init(
    _ document: some Encodable & Sendable, extent: String = "", table: (@Sendable () -> CSV)? = nil
  ) {
    self.init(document: { try JSONCoding.encode(document) }, extent: extent, table: table)
  }

  package init(
    document: @escaping @Sendable () throws -> RawJSON, extent: String = "", table: (@Sendable () -> CSV)? = nil
  ) {
    (self.document, self.extent, self.table) = (document, extent, table)
  }
}
