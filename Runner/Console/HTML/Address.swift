import Formats
import FunctionKit

/// An address of the console: there is no way to write one that leads elsewhere.
package struct Address: Sendable, Equatable {
  /// Where the console is.
  package static let root = "/_/console/"

  private let segments: [String]
  private var query: [(name: String, value: String)] = []
  private var fragment: String?

  /// - Parameter segments: of the path behind ``root``, as they are read; none leads to the first page.
  package init(_ segments: String...) {
    self.segments = segments
  }

  package init(_ segments: [String]) {
    self.segments = segments
  }

  /// The same with a value in its query; without a value it stays as it is.
  package func with(_ name: String, _ value: String?) -> Address {
    guard let value, !value.isEmpty else { return self }
    var address = self
    address.query.append((name, value))
    return address
  }

  /// The same, at an element of the page.
  package func at(_ id: String) -> Address {
    var address = self
    address.fragment = id
    return address
  }

  /// The address as it is written in a link.
  package var text: String {
    // A browser takes "." and ".." away, encoded or not: such a name has no page of its own.
    let path = segments.map { $0 == "." || $0 == ".." ? "_" : PercentEncoding.encoded($0) }.joined(separator: "/")
    let query = self.query.map { "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))" }
    return Self.root + path + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))")
      + (fragment.map { "#\(PercentEncoding.encoded($0))" } ?? "")
  }

  package static func == (left: Address, right: Address) -> Bool { left.text == right.text }
}
