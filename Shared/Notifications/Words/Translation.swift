package import Locales

/// All texts of a language, for who translates them.
package struct Translation: Sendable {
  /// A text, or one of its plural forms.
  package struct Line: Sendable, Equatable {
    /// Its name, with the category of a plural form in brackets, as the language's file has it.
    package let name: String
    /// The text that people read.
    package let text: String
    /// Whether the language lacks it, and people read it in English, or in another plural form.
    package let isMissing: Bool
  }

  /// The lines in the order of their names.
  package let lines: [Line]

  /// The texts that people read whose language this one is.
  package init(_ tag: LanguageTag) {
    let (own, english) = (Texts.texts(in: tag.text).texts, Texts.texts(in: Language.englishTag).texts)
    let needed = Self.categories(of: tag)
    lines = english.sorted { $0.key < $1.key }.flatMap { name, text in
      let isCounted = text.categories.count > 1
      return (isCounted ? needed : [CatalogueText.other]).map { category in
        let written = own[name]?.written(category)
        return Line(
          name: isCounted ? "\(name)[\(category)]" : name,
          text: written ?? own[name]?.written(CatalogueText.other) ?? text.written(category)
            ?? text.written(CatalogueText.other) ?? "",
          isMissing: written == nil)
      }
    }
  }

  /// The plural categories of whole numbers, in CLDR's order.
  private static func categories(of tag: LanguageTag) -> [String] {
    let formats = LocaleFormats.of(tag)
    let needed = Set((0...1_000).compactMap { formats?.text(.category($0)) } + [CatalogueText.other])
    return ["zero", "one", "two", "few", "many", "other"].filter(needed.contains)
  }
}
