import PushPayload

/// Words of the catalogue, or a text of people that stands alone.
package struct Sentence: Sendable, Hashable, ExpressibleByStringLiteral {
  package let text: String

  package init(stringLiteral text: String) { self.text = text }

  /// Words that are complete: what they hold turns nothing around it.
  init(said text: String) { self.text = text }

  /// A value that stands alone: it turns nothing, and closes what it opens.
  init(alone value: String) { text = value.closed }
}
