/// A piece of a page.
///
/// Text gets into it escaped, and there is no other way in: names of elements and attributes are those of ``Tag`` and
/// ``Attribute``.
package struct HTML: Sendable, Equatable {
  /// The text as it is sent.
  package private(set) var source = ""

  package init() {}

  /// Text, whatever it contains.
  package init(_ text: String) {
    source = text.shownInHTML
  }

  /// An element.
  init(_ tag: Tag, _ attributes: [Attribute], _ content: HTML) {
    source = "<\(tag.rawValue)"
    for attribute in attributes { source += attribute.source }
    source += ">"
    guard !tag.isVoid else { return }
    source += content.source
    source += "</\(tag.rawValue)>"
  }

  /// A whole document.
  static func document(_ root: HTML) -> HTML {
    var document = HTML()
    document.source = "<!doctype html>\n\(root.source)\n"
    return document
  }

  package static func += (left: inout HTML, right: HTML) { left.source += right.source }

  package var isEmpty: Bool { source.isEmpty }
}

/// An element with its content.
package func tag(
  _ name: Tag, _ attributes: Attribute?..., @HTMLBuilder content: () -> HTML = { HTML() }
) -> HTML {
  HTML(name, attributes.compactMap(\.self), content())
}

/// Puts texts and elements one behind the other.
@resultBuilder
package enum HTMLBuilder {
  package static func buildExpression(_ text: String) -> HTML { HTML(text) }
  package static func buildExpression(_ html: HTML) -> HTML { html }
  package static func buildExpression(_ html: HTML?) -> HTML { html ?? HTML() }
  package static func buildBlock(_ parts: HTML...) -> HTML { buildArray(parts) }
  package static func buildOptional(_ part: HTML?) -> HTML { part ?? HTML() }
  package static func buildEither(first part: HTML) -> HTML { part }
  package static func buildEither(second part: HTML) -> HTML { part }
  package static func buildArray(_ parts: [HTML]) -> HTML { parts.reduce(into: HTML()) { $0 += $1 } }
}

extension HTML {
  package static func + (left: HTML, right: HTML) -> HTML {
    var both = left
    both += right
    return both
  }
}
