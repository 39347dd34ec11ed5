import PushPayload

/// Words of ours with values in them: names, titles and other texts of people.
///
/// A value in another direction is isolated, so that it does not turn the words around it. The words themselves, other
/// sentences and numbers stay as they are.
package struct Sentence: Sendable, Hashable, ExpressibleByStringInterpolation {
  package let text: String

  package init(stringLiteral text: String) { self.text = text }

  package init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

  /// A value that stands alone: it turns nothing, and closes what it opens.
  init(alone value: String) { text = value.closed }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

    package mutating func appendLiteral(_ words: String) { text += words }
    package mutating func appendInterpolation(_ value: String) { text += value.isolated }

    package mutating func appendInterpolation(_ number: Int) { text += "\(number)" }
    package mutating func appendInterpolation(_ sentence: Sentence) { text += sentence.text }
  }
}
