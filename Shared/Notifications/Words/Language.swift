package import Locales

/// A language that there are texts in, for a person of a region.
package struct Language: Sendable, Hashable {
  /// The tag of the texts.
  package let texts: String
  /// The person's own tag, by which times and numbers are written; `nil` for those of American English.
  package let formats: LanguageTag?

  /// English as in America, which everybody reads of whom nothing else is known.
  package static let english = Language(texts: englishTag, formats: nil)
  static let englishTag = "en"

  private init(texts: String, formats: LanguageTag?) { (self.texts, self.formats) = (texts, formats) }

  /// The language that comes nearest to a tag.
  ///
  /// It is English if there are no texts in the tag's language, and for what is no tag.
  package init(nearestTo text: String) {
    guard let tag = LanguageTag(text), let texts = Texts.nearest(to: tag), texts != Self.englishTag || tag.isForeign
    else {
      self = .english
      return
    }
    self.init(texts: texts, formats: tag)
  }

  /// A tag in its usual spelling; `nil` for what is none.
  package static func tag(_ text: String) -> String? { LanguageTag(text)?.text }

  /// The tag that people and pages know it by.
  package var tag: String { formats?.text ?? texts }

  /// Whether its texts are written from right to left.
  package var isRightToLeft: Bool { LanguageTag(texts)?.isRightToLeft ?? false }

  /// The first language of a header field `Accept-Language` that there are texts in; `nil` without one.
  package static func accepted(_ field: String) -> Language? {
    LanguageTag.accepted(field).first { Texts.nearest(to: $0) != nil }.map { Language(nearestTo: $0.text) }
  }
}

extension LanguageTag {
  /// Whether its region is another one than the United States.
  fileprivate var isForeign: Bool { region.map { $0 != "US" } ?? false }
}
